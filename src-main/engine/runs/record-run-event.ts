// What the engine writes into the log of a handler run: the things that people look for later.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { JsonObject } from '#shared/json.ts';

/** `occurrence` tells apart what may happen more than once in one run. */
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
