import { SLOW_REFRESH_INTERVAL_MS } from '#renderer/stores/refresher.ts';
import { useLiveCall, type LiveCall } from '#renderer/stores/use-live-call.ts';

export function useOwnership(workflowId: string): LiveCall<'ownership.get'> {
  return useLiveCall(
    'ownership.get',
    { workflowId },
    { workflows: [workflowId], handler_runs: 'any' },
    SLOW_REFRESH_INTERVAL_MS,
  );
}
