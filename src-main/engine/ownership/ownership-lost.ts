// Another device owns the workflow now. This device records what it knows in its own columns;
// everything else, events included, is the new owner's to write.
import { continueRun } from '#main/engine/continuation/continue-run.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { OWNERSHIP_LOST } from '#main/engine/runs/failure.ts';

/** Closes our open runs and sessions. None of them may be running in this process. */
export function closeLostRuns(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  store.db.write(() => {
    for (const run of stores.handlerRuns.open(workflowId)) {
      if (run.deviceId === store.deviceId) continueRun(context, run, 'ownership_lost');
    }
    for (const session of stores.scriptRuns.activeIn(workflowId, 'main')) {
      if (session.deviceId !== store.deviceId) continue;
      stores.runContexts.finishRun({
        runId: session.id,
        status: 'suspended',
        terminalEventId: `lost:${session.id}`,
        error: OWNERSHIP_LOST,
      });
    }
  });
}
