// Saves the result of a finished run as an artifact. A stage of its own, so that ending a run doesn't
// wait for the disk.
import type { StageContext } from '#main/inputs/stages/stage.ts';
import { rfc3339 } from '#shared/clock.ts';

export async function writeCompletion(context: StageContext, runId: string): Promise<void> {
  const { stores, commits, artifacts, probe } = context;
  const run = stores.automationRuns.get(runId);
  probe('completion:before');
  const ref = run?.hasCompletion
    ? await artifacts.put({
        run_id: run.id,
        trigger_event_id: run.inputId,
        status: run.state.status,
        completed_at: rfc3339(run.times.completed_at ?? run.queuedAt),
        result: stores.automationRuns.completion(runId),
      })
    : null;
  probe('completion:artifact');
  await commits.commit(() => {
    if (ref && run?.completionArtifactRef === null) {
      stores.automationRuns.setCompletionArtifact(runId, ref.ref);
    }
    stores.outbox.done(runId, 'write_completion');
  });
  probe('completion:after');
}
