// Continues a run that is suspended until the outcome of an effect is known: its own effect, or the
// same effect made by another run. Nothing is sent from here.
import { continueRun } from '#main/engine/continuation/continue-run.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { endRun } from '#main/engine/runs/failure.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import { effectId } from '#shared/ids.ts';
import type { EffectStatus } from '#shared/machines/continuation.ts';
import { isEnded } from '#shared/machines/handler-run.ts';

/** False if the outcome is still unknown and the run keeps waiting. Call inside a write. */
export function retryBlockedRun(context: EngineContext, run: HandlerRun): boolean {
  const { stores } = context;
  const own = stores.mutations.ofRun(run.id)?.state.status;
  if (own === 'applied' || own === 'failed') {
    continueRun(context, run, 'outcome_known');
    return true;
  }
  const others = sameEffect(context, run);
  const open = others.find(({ handlerRunId }) => {
    const other = stores.handlerRuns.get(handlerRunId);
    return other && !isEnded(other.state);
  });
  if (open) {
    yieldTo(context, run, open.handlerRunId);
    return true;
  }
  return continueRun(context, run, 'outcome_known', outcomeOf(others)) !== 'wait';
}

/** Ledger rows of the same effect, made by other runs. */
function sameEffect({ stores }: EngineContext, run: HandlerRun): Mutation[] {
  const { reservations } = run.prepareResult as unknown as {
    reservations: readonly { eventId: string; attempt: number }[];
  };
  return stores.mutations
    .ofEffect(effectId(run.workflowId, run.handlerName, reservations))
    .filter(({ handlerRunId }) => handlerRunId !== run.id);
}

/** Applied if any device recorded it so. Failed only if all did. */
function outcomeOf(others: readonly Mutation[]): EffectStatus {
  if (others.some(({ state, made }) => [state.status, made.status].includes('applied'))) {
    return 'applied';
  }
  return others.every(({ state }) => state.status === 'failed') ? 'failed' : 'indeterminate';
}

/** Ends this run, because an open run began the same effect and continues it. */
function yieldTo(context: EngineContext, run: HandlerRun, other: string): void {
  const eventIds = context.stores.events.takenBy(run.id);
  const error = `Run ${other} began the same effect and continues it.`;
  endRun(context, run, { errorType: 'internal', error });
  for (const id of eventIds) context.stores.events.repair(id);
}
