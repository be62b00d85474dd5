// What the engine writes into the log of a handler run: the things that people look for later.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HandlerRun } from '#main/store/handler-runs.ts';
import { rfc3339 } from '#shared/clock.ts';
import type { JsonObject } from '#shared/json.ts';
import { runEventKey } from '#shared/run-log.ts';

/** `occurrence` tells apart what may happen more than once in one run. */
export function recordRunEvent(
  context: EngineContext,
  run: HandlerRun,
  eventType: string,
  payload: JsonObject,
  occurrence = 1,
): void {
  const { stores, store } = context;
  const identity = {
    runId: run.id,
    stepId: run.handlerName,
    eventType,
    logicalAttemptId: occurrence,
    planId: run.scriptRunId,
    planVersion: run.handlerName,
  };
  stores.runState.append({
    ...identity,
    eventId: store.ids.uuid(),
    emittedAt: rfc3339(store.clock.now()),
    tenantId: store.spaceId,
    projectId: run.workflowId,
    environmentId: 'main',
    engineAttemptId: 1,
    idempotencyKey: runEventKey(identity),
    payload: { ...payload, deviceId: store.deviceId },
  });
}
