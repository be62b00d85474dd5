// The executor of the continuation table (src-shared/machines/continuation.ts): reads where a run is,
// asks the table, and writes the result. Nothing is sent from here. Call everything inside a write.
import { continueInNewRun } from '#main/engine/runs/continue-in-new-run.ts';
import { canCheck } from '#main/engine/runs/effect-call.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { endRunAsMaker, OWNERSHIP_LOST, startOver } from '#main/engine/runs/failure.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import type { EffectSide } from '#main/store/sqlite/guarded-update.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { startDoubt } from '#shared/doubt.ts';
import { mutationId } from '#shared/ids.ts';
import {
  continuationOf,
  positionOf,
  type Continuation,
  type EffectStatus,
  type FoundRun,
  type Reason,
} from '#shared/machines/continuation.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';
import { unreachable } from '#shared/rejection.ts';

/** The error of a run that starts over, is suspended or is canceled for this reason. */
const ERRORS: { readonly [reason in Reason]: string } = {
  crash: 'Holdfast stopped in the middle of this run.',
  takeover: 'Another device owns this workflow now. The previous owner left this run open.',
  handover: 'Another device owns this workflow now. The previous owner left this run open.',
  ownership_lost: OWNERSHIP_LOST,
  settled: "You said that it didn't go through. Holdfast sends it in a new run.",
  outcome_known: "The effect that this run waited for didn't go through. Holdfast retries.",
  resumed: 'The workflow was resumed. Holdfast retries.',
  canceled: 'Canceled before the effect.',
};

/** Reasons that read differently if the work starts over. */
const STARTS_OVER: { readonly [reason in Reason]?: string } = {
  crash: 'Holdfast stopped in the middle of this run. Its work starts over in a new run.',
};

/** Reasons that read differently if a new run goes forward after the effect. */
const GOES_FORWARD: { readonly [reason in Reason]?: string } = {
  settled: 'The outcome is settled. Another device started this run.',
  resumed: 'The workflow was resumed. Another device started this run.',
};

/** The error of an effect whose outcome becomes unknown for this reason. */
const UNKNOWN: { readonly [reason in Reason]?: string } = {
  crash: 'Holdfast stopped while this was being sent. It may have gone through.',
  takeover:
    'The device that was sending this no longer owns the workflow. It may have gone through.',
  handover:
    'The device that was sending this no longer owns the workflow. It may have gone through.',
  ownership_lost: 'This device stopped waiting for the response. It may have gone through.',
};

const ERROR_TYPES: { readonly [reason in Reason]?: ErrorType } = {
  settled: 'network',
  resumed: 'permission',
};

/** `effect`: the status that counts, if it isn't that of the run's own effect. */
export function continueRun(
  context: EngineContext,
  run: HandlerRun,
  reason: Reason,
  effect?: EffectStatus,
): Continuation {
  const next = decideContinuation(context, run, reason, effect);
  carryOut(context, run, reason, next);
  return next;
}

/** The continuation that `continueRun` would carry out. Writes nothing. */
export function decideContinuation(
  context: EngineContext,
  run: HandlerRun,
  reason: Reason,
  effect?: EffectStatus,
): Continuation {
  const found = findRun(context, run, reason);
  return continuationOf(effect === undefined ? found : { ...found, effect }, reason);
}

function findRun({ stores, store }: EngineContext, run: HandlerRun, reason: Reason): FoundRun {
  const mutation = stores.mutations.ofRun(run.id);
  if (reason === 'ownership_lost') {
    // Only what this device wrote counts, because the new owner writes the rest.
    const made = stores.handlerRuns.asMade(run.id);
    const position = made ? positionOf(made) : 'ended';
    return { position, effect: mutation?.stateOfMaker.status ?? 'none', isOurs: true };
  }
  return {
    position: positionOf(run.state),
    effect: mutation?.state.status ?? 'none',
    isOurs: run.deviceId === store.deviceId && !run.isTakenOver,
  };
}

function carryOut(
  context: EngineContext,
  run: HandlerRun,
  reason: Reason,
  next: Continuation,
): void {
  const { handlerRuns } = context.stores;
  switch (next) {
    case 'wait':
    case 'refuse':
    case 'resend':
    case 'cancel_in_lane':
      return;
    case 'start_over':
    case 'start_over_now':
      // An open question must not be answered for a run that has ended.
      withdrawQuestion(context, run, reason);
      return startOver(
        context,
        run,
        {
          errorType: ERROR_TYPES[reason] ?? 'internal',
          error: STARTS_OVER[reason] ?? ERRORS[reason],
        },
        next === 'start_over_now',
      );
    case 'check':
      return check(context, run, reason);
    case 'mark_unknown':
      markUnknown(context, run, reason);
      return suspend(context, run, reason);
    case 'suspend':
      return suspend(context, run, reason);
    case 'continue_in_place':
      handlerRuns.moveConsumer(run.id, { type: isAtEffect(run) ? 'settle' : 'resume' });
      return;
    case 'continue_in_new_run':
      if (isAtEffect(run)) handlerRuns.moveConsumer(run.id, { type: 'settle' });
      continueInNewRun(
        context,
        handlerRuns.get(run.id) ?? run,
        GOES_FORWARD[reason] ?? ERRORS[reason],
      );
      return;
    case 'end':
      return endRunAsMaker(context, run);
    case 'record_applied':
      handlerRuns.moveConsumer(run.id, { type: 'settle' }, 'maker');
      return;
    default:
      return unreachable(next);
  }
}

function isAtEffect({ state }: HandlerRun): boolean {
  return (state.phase === 'suspended' ? state.resumePhase : state.phase) === 'mutating';
}

function withdrawQuestion({ stores }: EngineContext, { id }: HandlerRun, reason: Reason): void {
  if (stores.mutations.ofRun(id)?.state.status !== 'pending') return;
  stores.mutations.move(mutationId(id), { type: 'fail', error: ERRORS[reason] });
}

function check(context: EngineContext, run: HandlerRun, reason: Reason): void {
  const { stores, store } = context;
  const id = mutationId(run.id);
  if (canCheck(context, id)) {
    const error = UNKNOWN[reason] ?? ERRORS[reason];
    const doubt = startDoubt(context.doubtClock.now(id));
    const event = { type: 'doubt', error, nextAt: store.clock.now(), doubt } as const;
    stores.mutations.move(id, event, doubtSide(context, id, reason));
  } else {
    markUnknown(context, run, reason);
  }
  suspend(context, run, reason);
}

function markUnknown(context: EngineContext, run: HandlerRun, reason: Reason): void {
  const error = UNKNOWN[reason] ?? ERRORS[reason];
  const id = mutationId(run.id);
  context.stores.mutations.move(id, { type: 'give_up', error }, doubtSide(context, id, reason));
  if (reason !== 'ownership_lost') {
    recordRunEvent(context, run, 'effect.indeterminate', { error });
  }
}

/**
 * The maker writes its doubt beside what it wrote of its call. After a power cut or a rollback a peer may
 * know the outcome: cr-sqlite would compare it with the doubt as two versions of one value, but in columns
 * of their own the known outcome counts (src-shared/takeover-precedence.ts).
 */
function doubtSide({ stores }: EngineContext, id: string, reason: Reason): EffectSide {
  const isMaker = reason === 'ownership_lost' || stores.mutations.sideOf(id) !== 'owner';
  return isMaker ? 'recovered' : 'owner';
}

function suspend({ stores }: EngineContext, run: HandlerRun, reason: Reason): void {
  const isLost = reason === 'ownership_lost';
  if (!isLost && run.state.phase === 'suspended') return;
  stores.handlerRuns.moveConsumer(
    run.id,
    { type: 'suspend', reason: 'reconciliation', error: ERRORS[reason] },
    isLost ? 'maker' : undefined,
  );
}
