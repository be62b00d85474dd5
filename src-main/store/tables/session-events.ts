// Session events in the run log. Space, workflow, lane and version fill the fields that spec 001
// calls tenant, project, environment and plan.
import type { RunStateStore } from '#main/store/tables/run-log.ts';
import type { ScriptRun } from '#main/store/tables/script-runs.ts';
import type { JsonObject } from '#shared/json.ts';

/** The plan of a session whose workflow has no version yet. */
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
