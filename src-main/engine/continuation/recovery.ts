// Recovery after a crash of the host or of a lane: brings every open run of this device to a true
// state and ends its sessions. The continuation table decides; nothing is sent from here.
import { continueRun } from '#main/engine/continuation/continue-run.ts';
import { waitsForResume } from '#main/engine/continuation/waits-for-resume.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { closeLostRuns } from '#main/engine/ownership/ownership-lost.ts';
import { finishSession } from '#main/engine/runs/session.ts';

/** At start. A workflow that can't be recovered is held, and the others go on. */
export function recoverAll(context: EngineContext): void {
  const { stores, isolation } = context;
  const workflowIds = new Set([
    ...stores.handlerRuns.open().map(({ workflowId }) => workflowId),
    ...stores.scriptRuns.active().map(({ workflowId }) => workflowId),
  ]);
  for (const workflowId of workflowIds) {
    isolation.attempt(workflowId, 'recovery', () => recover(context, workflowId));
  }
}

/**
 * Recovers one workflow. The cost follows the number of open runs, not the history. Runs in
 * `toResend` are skipped: a person chose to send their effect again, and that has not started yet.
 */
export function recover(
  context: EngineContext,
  workflowId: string,
  toResend: ReadonlySet<string> = new Set(),
): void {
  const { stores, store } = context;
  store.db.write(() => {
    const ours = stores.handlerRuns
      .open(workflowId)
      .filter(({ id, deviceId }) => deviceId === store.deviceId && !toResend.has(id));
    if (ours.length > 0 && stores.ownership.epoch(workflowId) === null) {
      closeLostRuns(context, workflowId);
    } else {
      for (const run of ours) {
        if (!waitsForResume(context, run)) continueRun(context, run, 'crash');
      }
    }
    finishSessions(context, workflowId);
  });
}

function finishSessions(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  for (const session of stores.scriptRuns.active()) {
    if (session.deviceId !== store.deviceId || session.workflowId !== workflowId) continue;
    const why = 'Holdfast stopped in the middle of this session.';
    finishSession(context, session.id, `recovered:${session.id}`, why);
  }
}
