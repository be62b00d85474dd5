// How a session speaks of itself in the run log: space, workflow, lane and script version stand
// in the places that spec 001 calls tenant, project, environment and plan.
import type { RunStateStore } from '#main/store/run-state.ts';
import type { ScriptRun } from '#main/store/script-runs.ts';
import type { JsonObject } from '#shared/json.ts';

/** The plan of a session whose workflow has no script yet. */
export const NO_SCRIPT = 'none';

export function appendSessionEvent(
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
  runState.record(identity, run, payload);
}
