// Carrying out what people asked for, on this device or another. The owner does it, the oldest
// first; what an earlier one has made pointless is superseded. Every one leaves its row.
import type { Stop } from '#shared/inputs/kinds.ts';
import type { Json } from '#shared/json.ts';
import { intentRequestSchema, type IntentStatus, type IntentRequest } from '#shared/intents.ts';
import { unreachable } from '#shared/rejection.ts';

export interface Decision {
  readonly status: Exclude<IntentStatus, 'waiting'>;
  readonly message?: string;
}

/** What the engine can do. Null: not now; the intent waits. */
export interface Acts {
  pause(workflowId: string, reason: string): void;
  resume(workflowId: string): void;
  runNow(workflowId: string, producer: string, requestId: string): Decision | null;
  cancel(handlerRunId: string): Decision;
  rerun(eventId: string, payload: Json | undefined): Decision;
  answer(mutationId: string, answer: Json): Decision;
  stopInput(inputId: string, as: Stop, reason: string): Decision;
  settleInput(inputId: string, as: 'succeeded' | 'failed', reason: string): Decision;
  activate(workflowId: string, scriptId: string, basedOn: string | null): Decision;
  withdraw(resolutionId: string): Decision | null;
  handOver(workflowId: string, toDeviceId: string, epoch: number): Decision | null;
}

export const DONE: Decision = { status: 'done' };

/** `wish` may be another device's: it is checked first. */
export function carryOutIntent(acts: Acts, workflowId: string, given: unknown): Decision | null {
  const wish = intentRequestSchema.safeParse(given);
  if (wish.success) return act(acts, workflowId, wish.data);
  return {
    status: 'refused',
    message: 'This version of Holdfast does not know what was asked for. Update it on the owner.',
  };
}

function act(acts: Acts, workflowId: string, wish: IntentRequest): Decision | null {
  switch (wish.kind) {
    case 'pause':
      acts.pause(workflowId, wish.reason);
      return DONE;
    case 'resume':
      acts.resume(workflowId);
      return DONE;
    case 'run_now':
      return acts.runNow(workflowId, wish.producer, wish.requestId);
    case 'cancel':
      return acts.cancel(wish.handlerRunId);
    case 'rerun':
      return acts.rerun(wish.eventId, wish.payload);
    case 'answer':
      return acts.answer(wish.mutationId, wish.answer);
    case 'stop_input':
      return acts.stopInput(wish.inputId, wish.as, wish.reason);
    case 'settle_input':
      return acts.settleInput(wish.inputId, wish.as, wish.reason);
    case 'activate':
      return acts.activate(workflowId, wish.scriptId, wish.basedOn);
    case 'withdraw':
      return acts.withdraw(wish.resolutionId);
    case 'handover':
      return acts.handOver(workflowId, wish.toDeviceId, wish.epoch);
    default:
      return unreachable(wish);
  }
}
