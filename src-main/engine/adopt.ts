// What another device left open in a workflow that is ours now. Nothing of it is sent from here, and
// nothing is written over what that device wrote: our word stands beside it.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { endRun } from '#main/engine/failure.ts';
import { recordRunEvent } from '#main/engine/history.ts';
import { goOnInAnother, startOver } from '#main/engine/recovery.ts';
import type { HandlerRun } from '#main/store/handler-runs.ts';
import type { Mutation } from '#main/store/mutations.ts';
import type { ClaimWay } from '#shared/ownership.ts';
import { mutationId } from '#shared/ids.ts';

/** What became of one open run of the former owner. */
export type Fate =
  /** It had sent nothing: its events wait again. */
  | 'starts_over'
  /** It may have acted: a person is asked. */
  | 'unknown'
  /** It had acted, and another run goes on. */
  | 'goes_on'
  /** It waits for a person, as before. */
  | 'waits';

export interface Adopted {
  readonly run: HandlerRun;
  readonly mutation: Mutation | null;
  readonly fate: Fate;
}

const LEFT = 'Another device runs this workflow now; this run was left open on the one before.';
const MAYBE = 'The device that was sending this no longer runs the workflow. It may have happened.';

/** To be called inside a write, by the owner. What was adopted before is left as it is. */
export function adopt(context: EngineContext, workflowId: string, how: ClaimWay): Adopted[] {
  const { stores, store } = context;
  const adopted = stores.handlerRuns
    .open(workflowId)
    .filter(({ deviceId }) => deviceId !== store.deviceId)
    .map((run) => adoptRun(context, run, how));
  endForeignSessions(context, workflowId);
  return adopted;
}

/** What `adopt` would make of a run, for the dialog that asks before. */
export function fateOf(context: EngineContext, run: HandlerRun, how: ClaimWay): Fate {
  const mutation = context.stores.mutations.ofRun(run.id)?.state;
  switch (run.state.phase) {
    case 'pending':
    case 'preparing':
    case 'prepared':
    case 'executing':
    case 'committed':
    case 'failed':
      return 'starts_over';
    case 'mutated':
    case 'emitting':
      return 'goes_on';
    case 'mutating':
    case 'suspended':
      break;
  }
  const { reason } = run.state.phase === 'suspended' ? run.state : { reason: 'reconciliation' };
  switch (mutation?.status) {
    case 'applied':
      return isAfterEffect(run) ? 'waits' : 'goes_on';
    case 'in_flight':
      return 'unknown';
    case 'needs_reconcile':
      // Handed over, the outside is asked on: nobody sends it any more.
      return how === 'handover' && run.state.phase === 'suspended' ? 'waits' : 'unknown';
    case 'indeterminate':
      return run.state.phase === 'suspended' ? 'waits' : 'unknown';
    case 'pending':
      return 'waits';
    case 'failed':
    case undefined:
      // A failed script after its effect waits for a mended one; all else has sent nothing.
      return (reason === 'logic' || reason === 'internal') && isAfterEffect(run)
        ? 'waits'
        : 'starts_over';
  }
}

function isAfterEffect({ state }: HandlerRun): boolean {
  return (
    state.phase === 'suspended' &&
    (state.resumePhase === 'emitting' || state.resumePhase === 'mutated')
  );
}

function adoptRun(context: EngineContext, run: HandlerRun, how: ClaimWay): Adopted {
  const { stores } = context;
  const fate = fateOf(context, run, how);
  const mutation = stores.mutations.ofRun(run.id) ?? null;
  switch (fate) {
    case 'starts_over':
      startOver(context, run, LEFT);
      break;
    case 'unknown':
      doubt(context, run, mutation);
      break;
    case 'goes_on':
      if (run.state.phase === 'mutating' || run.state.phase === 'suspended') {
        stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
      }
      goOnInAnother(context, stores.handlerRuns.get(run.id) ?? run, LEFT);
      break;
    case 'waits':
      break;
  }
  return { run, mutation, fate };
}

function doubt(context: EngineContext, run: HandlerRun, mutation: Mutation | null): void {
  const { stores } = context;
  if (mutation?.state.status !== 'indeterminate') {
    stores.mutations.move(mutationId(run.id), { type: 'give_up', error: MAYBE });
    recordRunEvent(context, run, 'effect.indeterminate', { error: MAYBE });
  }
  if (run.state.phase === 'suspended') return;
  stores.handlerRuns.moveConsumer(run.id, {
    type: 'suspend',
    reason: 'reconciliation',
    error: LEFT,
  });
}

/** No session survives its device: the one that comes back begins another. */
function endForeignSessions({ stores, store }: EngineContext, workflowId: string): void {
  for (const session of stores.scriptRuns.activeIn(workflowId, 'main')) {
    if (session.deviceId === store.deviceId) continue;
    stores.runContexts.finishRun({
      runId: session.id,
      status: 'failed',
      terminalEventId: `adopted:${session.id}`,
      error: 'Another device runs this workflow now.',
    });
  }
}

/** An effect that turns out to be open elsewhere belongs to the run that began it. */
export function yieldTo(context: EngineContext, run: HandlerRun, other: string): void {
  const eventIds = context.stores.events.takenBy(run.id);
  const error = `The run ${other} has begun the same effect, and goes on with it.`;
  endRun(context, run, { errorType: 'internal', error });
  for (const id of eventIds) context.stores.events.repair(id);
}
