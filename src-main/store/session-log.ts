// How a session speaks of itself in the run log: space, workflow, lane and script version stand
// in the places that spec 001 calls tenant, project, environment and plan.
import type { RunStateStore } from '#main/store/run-state.ts';
import type { ScriptRun } from '#main/store/script-runs.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { rfc3339 } from '#shared/clock.ts';
import type { JsonObject } from '#shared/json.ts';
import { runEventKey } from '#shared/run-log.ts';

/** The plan of a session whose workflow has no script yet. */
export const NO_SCRIPT = 'none';

export function appendSessionEvent(
  context: StoreContext,
  runState: RunStateStore,
  run: ScriptRun,
  eventType: string,
  payload: JsonObject,
): void {
  const identity = {
    runId: run.id,
    eventType,
    logicalAttemptId: 1,
    planId: run.scriptId ?? NO_SCRIPT,
    planVersion: run.runStartSha,
  };
  runState.append({
    ...identity,
    eventId: context.ids.uuid(),
    emittedAt: rfc3339(context.clock.now()),
    tenantId: context.spaceId,
    projectId: run.workflowId,
    environmentId: run.lane,
    engineAttemptId: 1,
    idempotencyKey: runEventKey(identity),
    payload: { ...payload, deviceId: context.deviceId },
  });
}
