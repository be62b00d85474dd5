// Saves the result of a finished run as an artifact. A stage of its own, so that ending a run doesn't
// wait for the disk.
import { automationRunFields } from '#main/input-lifecycle/input-log.ts';
import { claimLease, StageLost, type StageContext } from '#main/inputs/stages/stage.ts';
import { rfc3339 } from '#shared/clock.ts';

export async function writeCompletion(context: StageContext, runId: string): Promise<void> {
  const { stores, commits, artifacts, log, probe } = context;
  probe('completion:before');
  const claimed = await commits.commit(() => {
    const run = stores.automationRuns.get(runId);
    if (run?.hasCompletion && run.completionArtifactRef === null) {
      return { run, lease: claimLease(context, run) };
    }
    stores.outbox.done(runId, 'write_completion');
    return null;
  });
  if (!claimed) return;
  probe('completion:claimed');
  const { run, lease } = claimed;
  const { ref } = await artifacts.put({
    run_id: run.id,
    trigger_event_id: run.inputId,
    status: run.state.status,
    completed_at: rfc3339(run.times.completed_at ?? run.queuedAt),
    result: stores.automationRuns.completion(runId),
  });
  probe('completion:artifact');
  await commits.commit(() => {
    if (!stores.automationLeases.holds(lease)) {
      throw new StageLost(`The lease of the run ${runId} was lost to another worker.`);
    }
    stores.automationRuns.setCompletionArtifact(runId, ref);
    stores.outbox.done(runId, 'write_completion');
    stores.automationLeases.release(lease);
  });
  log.info({ ...automationRunFields(context, runId), artifact: ref }, 'completion stored');
  probe('completion:after');
}
