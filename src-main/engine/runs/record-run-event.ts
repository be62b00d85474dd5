// Appends to the log of a handler run what a person may look for later: failures, suspensions,
// missed slots, settled effects.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { JsonObject } from '#shared/json.ts';

/** `occurrence` numbers events of one type in one run, because each is recorded only once. */
export function recordRunEvent(
  context: EngineContext,
  run: HandlerRun,
  eventType: string,
  payload: JsonObject,
  occurrence = 1,
): void {
  const identity = {
    runId: run.id,
    stepId: run.handlerName,
    eventType,
    logicalAttemptId: occurrence,
    planId: run.scriptRunId,
    planVersion: run.handlerName,
  };
  context.stores.runState.record(identity, run, payload);
}
