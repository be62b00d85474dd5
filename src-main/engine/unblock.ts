// A run that waits for an effect: one that it found begun by another run, or its own, whose answer
// came after another device had left it to wait. What it may do follows from what the ledger says
// of that effect now.
import { yieldTo } from '#main/engine/adopt.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { startOver } from '#main/engine/recovery.ts';
import type { HandlerRun } from '#main/store/handler-runs.ts';
import { effectId } from '#shared/ids.ts';
import { isEnded } from '#shared/machines/handler-run.ts';

const DID_NOT_HAPPEN = 'The effect that it waited for did not happen. It is tried anew.';

/** False: nothing more is known; it waits on. To be called inside a write. */
export function unblock(context: EngineContext, run: HandlerRun): boolean {
  const { stores } = context;
  const own = stores.mutations.ofRun(run.id)?.state.status;
  if (own === 'applied') {
    stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
    return true;
  }
  if (own === 'failed') {
    startOver(context, run, DID_NOT_HAPPEN);
    return true;
  }
  const { reservations } = run.prepareResult as unknown as {
    reservations: readonly { eventId: string; attempt: number }[];
  };
  const others = stores.mutations
    .ofEffect(effectId(run.workflowId, run.handlerName, reservations))
    .filter(({ handlerRunId }) => handlerRunId !== run.id);
  const open = others.find(({ handlerRunId }) => {
    const other = stores.handlerRuns.get(handlerRunId);
    return other && !isEnded(other.state);
  });
  if (open) {
    yieldTo(context, run, open.handlerRunId);
    return true;
  }
  if (others.some(({ state, made }) => [state.status, made.status].includes('applied'))) {
    stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
    return true;
  }
  if (others.some(({ state }) => state.status !== 'failed')) return false;
  startOver(context, run, DID_NOT_HAPPEN);
  return true;
}
