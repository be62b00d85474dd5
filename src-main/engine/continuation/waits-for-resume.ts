// Which runs wait for the resume of their workflow. Reads the store and changes nothing.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { positionOf } from '#shared/machines/continuation.ts';

/** Past its effect in a workflow that is not active: nothing broke, and the resume continues it. */
export function waitsForResume({ stores }: EngineContext, run: HandlerRun): boolean {
  if (positionOf(run.state) !== 'after_effect') return false;
  return stores.workflows.runStatus(run.workflowId)?.status !== 'active';
}
