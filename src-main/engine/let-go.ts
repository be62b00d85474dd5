// A workflow that another device runs now. What this one knows it writes down, in its own columns;
// everything else, events included, is the new owner's.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { recordRunEvent } from '#main/engine/history.ts';
import type { HandlerRun } from '#main/store/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import { isBeforeEffect } from '#shared/taken-over.ts';

export const LOST = 'Another device runs this workflow now. Nothing more is done here.';

/** Thrown where a session reports: what it reports is not kept. */
export class OwnershipLost extends Error {
  constructor(workflowId: string) {
    super(`The workflow ${workflowId} is run by another device now.`);
    this.name = 'OwnershipLost';
  }
}

/** All that is open of ours; nothing of it may be at work in this process. */
export function letGo(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  store.db.write(() => {
    for (const run of stores.handlerRuns.open(workflowId)) {
      if (run.deviceId === store.deviceId) letGoOfRun(context, run);
    }
    for (const session of stores.scriptRuns.activeIn(workflowId, 'main')) {
      if (session.deviceId !== store.deviceId) continue;
      stores.runContexts.finishRun({
        runId: session.id,
        status: 'suspended',
        terminalEventId: `lost:${session.id}`,
        error: LOST,
      });
    }
  });
}

export function letGoOfRun(context: EngineContext, run: HandlerRun): void {
  const { stores } = context;
  const made = stores.handlerRuns.asMade(run.id);
  if (!made) return;
  if (isBeforeEffect(made.phase)) return endAsMaker(context, run);
  if (made.phase !== 'mutating') return;
  switch (stores.mutations.ofRun(run.id)?.made.status) {
    case undefined:
    case 'pending':
    case 'failed':
      return endAsMaker(context, run);
    case 'in_flight':
    case 'needs_reconcile':
      stores.mutations.move(
        mutationId(run.id),
        { type: 'give_up', error: 'Nobody waited for the answer. It may have happened.' },
        'maker',
      );
      break;
    case 'applied':
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' }, 'maker');
      return;
    case 'indeterminate':
      break;
  }
  stores.handlerRuns.moveConsumer(
    run.id,
    { type: 'suspend', reason: 'reconciliation', error: LOST },
    'maker',
  );
}

/** It did nothing outside, and will not. Its events are the new owner's to give back. */
export function endAsMaker(context: EngineContext, run: HandlerRun): void {
  const { stores, store } = context;
  const fail = {
    type: 'fail',
    at: store.clock.now(),
    errorType: 'internal',
    error: LOST,
  } as const;
  const moved =
    run.handlerType === 'consumer'
      ? stores.handlerRuns.moveConsumer(run.id, fail, 'maker')
      : stores.handlerRuns.moveProducer(run.id, fail, 'maker');
  if (moved.type === 'moved') recordRunEvent(context, run, 'run.failed', { error: LOST });
}
