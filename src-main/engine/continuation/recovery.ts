// Recovery after a crash of the host or of a lane: brings every open run of this device to a true
// state and ends its sessions. The continuation table decides; nothing is sent from here.
import { continueRun } from '#main/engine/continuation/continue-run.ts';
import { waitsForResume } from '#main/engine/continuation/waits-for-resume.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { closeLostRuns } from '#main/engine/ownership/ownership-lost.ts';
import { finishSession } from '#main/engine/runs/session.ts';

/**
 * Recovers one workflow, or all. The cost follows the number of open runs, not the history. Runs in
 * `toResend` are skipped: a person chose to send their effect again, and that has not started yet.
 */
export function recover(
  context: EngineContext,
  workflowId?: string,
  toResend: ReadonlySet<string> = new Set(),
): void {
  const { stores, store } = context;
  store.db.write(() => {
    const isOwned = new Map<string, boolean>();
    for (const run of stores.handlerRuns.open(workflowId)) {
      if (run.deviceId !== store.deviceId || toResend.has(run.id)) continue;
      const known = isOwned.get(run.workflowId);
      const isOurs = known ?? stores.ownership.epoch(run.workflowId) !== null;
      isOwned.set(run.workflowId, isOurs);
      if (isOurs) {
        if (!waitsForResume(context, run)) continueRun(context, run, 'crash');
      } else if (known === undefined) closeLostRuns(context, run.workflowId);
    }
    finishSessions(context, workflowId);
  });
}

function finishSessions(context: EngineContext, workflowId?: string): void {
  const { stores, store } = context;
  for (const session of stores.scriptRuns.active()) {
    const isOurs = session.deviceId === store.deviceId;
    if (!isOurs || (workflowId !== undefined && session.workflowId !== workflowId)) continue;
    const why = 'Holdfast stopped in the middle of this session.';
    finishSession(context, session.id, `recovered:${session.id}`, why);
  }
}
