// Closes the open runs of a workflow that another device owns now. This device writes only its own
// columns; the new owner writes everything else, including events.
import { continueRun } from '#main/engine/continuation/continue-run.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { OWNERSHIP_LOST } from '#main/engine/runs/failure.ts';

/** Closes this device's open runs and sessions. None of them may be executing. */
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
