// Adopts the runs that another device left open in a workflow that this device owns now. Nothing is
// sent, and nothing that the other device wrote is overwritten: this device writes its own columns.
import { continueRun, decideContinuation } from '#main/engine/continuation/continue-run.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { finishSession } from '#main/engine/runs/session.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import type { Continuation } from '#shared/machines/continuation.ts';
import type { ClaimWay } from '#shared/ownership.ts';

/** The next step of an open run of the former owner. */
export type Fate =
  /** Nothing was sent. Its events are pending again. */
  | 'starts_over'
  /** The effect may have been sent. A person decides. */
  | 'unknown'
  /** The effect was applied. A new run continues. */
  | 'goes_on'
  /** The run waits for a person, as before. */
  | 'waits';

export interface Adopted {
  readonly run: HandlerRun;
  readonly mutation: Mutation | null;
  readonly fate: Fate;
}

/** Call inside a write, as the owner. Runs that were adopted before stay as they are. */
export function adoptForeignRuns(
  context: EngineContext,
  workflowId: string,
  how: ClaimWay,
): Adopted[] {
  const { stores, store } = context;
  const adopted = stores.handlerRuns
    .open(workflowId)
    .filter(({ deviceId }) => deviceId !== store.deviceId)
    .map((run) => ({
      run,
      mutation: stores.mutations.ofRun(run.id) ?? null,
      fate: toFate(continueRun(context, run, reasonOf(how))),
    }));
  finishForeignSessions(context, workflowId);
  return adopted;
}

/** The fate of a run if this device took the workflow over now, for the dialog that asks. */
export function fateAfterTakeover(context: EngineContext, run: HandlerRun): Fate {
  return toFate(decideContinuation(context, run, 'takeover'));
}

function reasonOf(how: ClaimWay): 'takeover' | 'handover' {
  return how === 'handover' ? 'handover' : 'takeover';
}

function toFate(next: Continuation): Fate {
  switch (next) {
    case 'start_over':
      return 'starts_over';
    case 'mark_unknown':
    case 'suspend':
      return 'unknown';
    case 'continue_in_new_run':
      return 'goes_on';
    default:
      return 'waits';
  }
}

/** A session ends with its device's ownership. */
function finishForeignSessions(context: EngineContext, workflowId: string): void {
  const { stores, store } = context;
  for (const session of stores.scriptRuns.activeIn(workflowId, 'main')) {
    if (session.deviceId === store.deviceId) continue;
    const why = 'Another device owns this workflow now.';
    finishSession(context, session.id, `adopted:${session.id}`, why);
  }
}
