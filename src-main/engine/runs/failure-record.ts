// Reads from the run log why a run failed before its effect. The next run continues its wait for the
// outside, also after a restart.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { WaitsFor } from '#main/tools/tool.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';
import type { OutsideWaiting } from '#shared/outside/outside-waiting.ts';

export interface FailureRecord {
  readonly errorType?: ErrorType;
  readonly waitsFor?: WaitsFor;
  /** How long the handler has been waiting for the outside, or failing because of it. */
  readonly waiting?: OutsideWaiting;
}

export function failureRecordOf({ stores }: EngineContext, runId: string): FailureRecord | null {
  const failed = stores.runState.records(runId).find(({ eventType }) => eventType === 'run.failed');
  return failed ? (failed.payload as FailureRecord) : null;
}

/** The failure of the run that the next run of this handler retries. */
export function lastFailureOf(
  context: EngineContext,
  workflowId: string,
  handler: string,
): FailureRecord | null {
  const { retryOf } = context.stores.consumerWakes.get(workflowId, handler);
  return retryOf === null ? null : failureRecordOf(context, retryOf);
}
