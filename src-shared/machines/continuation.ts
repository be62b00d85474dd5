// Decides how a run continues, given its phase and the status of its effect. One table for
// every reason to look: crash, take-over, hand-over, lost ownership, a settled effect, a resumed
// workflow, a canceled run. The engine has one executor for it (src-main/engine/continuation/continue-run.ts).
//
// Two rules hold in every cell: a run whose effect may have been applied never starts over, and
// nothing is sent again except by `resend`, which only a person's decision leads to.
import type { HandlerRunState, Phase } from '#shared/machines/handler-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';
import { isBeforeEffect } from '#shared/takeover-precedence.ts';
import { unreachable } from '#shared/rejection.ts';

/** The position of a run relative to its effect. */
export const POSITIONS = [
  'before_effect',
  /** A producer's only active phase. Producers have no effects. */
  'executing',
  'at_effect',
  'after_effect',
  /** Suspended before the effect, for approval. */
  'suspended_before',
  /** Suspended at the effect: a question is open, or a permission is missing. */
  'suspended_at',
  /** Suspended until the outcome of the effect is known. */
  'awaiting_outcome',
  /** Suspended after the effect, because next() failed. */
  'suspended_after',
  'ended',
] as const;
export type Position = (typeof POSITIONS)[number];

export type EffectStatus = MutationStatus | 'none';

export const REASONS = [
  /** Our own run, left open by a crash of the host or of its lane. */
  'crash',
  /** Another device's run, in a workflow that a person took over or that was handed over. */
  'takeover',
  'handover',
  /** Our own run, in a workflow that another device owns now. */
  'ownership_lost',
  /** A person settled the effect or answered the question; the effect has its new status. */
  'settled',
  /** The outcome of the effect that this run waits for is known. */
  'outcome_known',
  /** A person resumed the workflow, or activated another version. */
  'resumed',
  'canceled',
] as const;
export type Reason = (typeof REASONS)[number];

export const CONTINUATIONS = [
  /** Leave the run as it is. */
  'wait',
  /**
   * End the run, withdraw its open question and release its events. The next run is its retry, with
   * the backoff so far.
   */
  'start_over',
  /** The same with the backoff reset, because a person acted. */
  'start_over_now',
  /** Check the outcome with the outside, or ask a person where that is impossible. */
  'check',
  /** Record the outcome as unknown and suspend the run. */
  'mark_unknown',
  /** The outcome is recorded as open already: only suspend the run. */
  'suspend',
  /** Go forward in the same run. */
  'continue_in_place',
  /** Go forward in a new run that takes over the events, because this one isn't ours to write. */
  'continue_in_new_run',
  /** The effect goes out once more; the ledger has it in flight. */
  'resend',
  /** End the run as the device that made it; the events are the new owner's. */
  'end',
  /** Record that the effect is applied, and nothing else; the new owner goes forward. */
  'record_applied',
  /** Ask the lane to start over instead of making the effect. */
  'cancel_in_lane',
  /** Too late for what was asked. */
  'refuse',
] as const;
export type Continuation = (typeof CONTINUATIONS)[number];

export interface FoundRun {
  readonly position: Position;
  readonly effect: EffectStatus;
  /** Made by this device and not taken over by another one since: its row is ours to write. */
  readonly isOurs: boolean;
}

export function positionOf(state: HandlerRunState): Position {
  if (state.phase !== 'suspended') return activePosition(state.phase);
  if (state.reason === 'reconciliation') return 'awaiting_outcome';
  switch (activePosition(state.resumePhase)) {
    case 'after_effect':
      return 'suspended_after';
    case 'at_effect':
      return 'suspended_at';
    default:
      return 'suspended_before';
  }
}

function activePosition(phase: Exclude<Phase, 'suspended'>): Position {
  if (phase === 'executing') return 'executing';
  if (isBeforeEffect(phase)) return 'before_effect';
  if (phase === 'mutating') return 'at_effect';
  return phase === 'mutated' || phase === 'emitting' ? 'after_effect' : 'ended';
}

export function continuationOf(run: FoundRun, reason: Reason): Continuation {
  if (run.position === 'ended') return reason === 'canceled' ? 'refuse' : 'wait';
  switch (reason) {
    case 'crash':
      return afterCrash(run);
    case 'takeover':
    case 'handover':
      return afterAdoption(run, reason);
    case 'ownership_lost':
      return afterOwnershipLost(run);
    case 'settled':
      return afterSettling(run);
    case 'outcome_known':
      return afterOutcome(run);
    case 'resumed':
      return afterResume(run);
    case 'canceled':
      return afterCancel(run);
    default:
      return unreachable(reason);
  }
}

function afterCrash({ position, effect }: FoundRun): Continuation {
  switch (position) {
    case 'before_effect':
    case 'executing':
      return 'start_over';
    case 'at_effect':
      return AT_EFFECT_AFTER_CRASH[effect];
    case 'after_effect':
      return 'continue_in_new_run';
    case 'suspended_before':
    case 'suspended_after':
      return 'wait';
    case 'suspended_at':
      return effect === 'in_flight' ? 'check' : 'wait';
    case 'awaiting_outcome':
      // The crash may have come between the check's negative result and the new run.
      if (effect === 'failed') return 'start_over';
      return effect === 'in_flight' ? 'check' : 'wait';
    default:
      return 'wait';
  }
}

const AT_EFFECT_AFTER_CRASH: { readonly [effect in EffectStatus]: Continuation } = {
  none: 'start_over',
  pending: 'start_over',
  in_flight: 'check',
  applied: 'continue_in_new_run',
  failed: 'start_over',
  needs_reconcile: 'suspend',
  indeterminate: 'suspend',
};

function afterAdoption(
  { position, effect }: FoundRun,
  reason: 'takeover' | 'handover',
): Continuation {
  switch (position) {
    case 'before_effect':
    case 'executing':
      return 'start_over';
    case 'at_effect':
      return AT_EFFECT_AFTER_ADOPTION[effect];
    case 'after_effect':
      return 'continue_in_new_run';
    case 'suspended_after':
      // in_flight here is a state that no code writes; it must not be hidden.
      return effect === 'in_flight' ? 'mark_unknown' : 'wait';
    case 'suspended_before':
    case 'suspended_at':
    case 'awaiting_outcome':
      // Handed over, the check continues: the former owner no longer sends it.
      if (effect === 'needs_reconcile' && reason === 'handover') return 'wait';
      return SUSPENDED_AFTER_ADOPTION[effect];
    default:
      return 'wait';
  }
}

const AT_EFFECT_AFTER_ADOPTION: { readonly [effect in EffectStatus]: Continuation } = {
  none: 'start_over',
  pending: 'start_over',
  in_flight: 'mark_unknown',
  applied: 'continue_in_new_run',
  failed: 'start_over',
  needs_reconcile: 'mark_unknown',
  indeterminate: 'suspend',
};

const SUSPENDED_AFTER_ADOPTION: { readonly [effect in EffectStatus]: Continuation } = {
  none: 'start_over',
  pending: 'wait',
  in_flight: 'mark_unknown',
  applied: 'continue_in_new_run',
  failed: 'start_over',
  needs_reconcile: 'mark_unknown',
  indeterminate: 'wait',
};

/** Position and effect are this device's own side, not the new owner's. */
function afterOwnershipLost({ position, effect }: FoundRun): Continuation {
  if (position === 'before_effect' || position === 'executing') return 'end';
  return position === 'at_effect' ? AT_EFFECT_AFTER_LOSS[effect] : 'wait';
}

const AT_EFFECT_AFTER_LOSS: { readonly [effect in EffectStatus]: Continuation } = {
  none: 'end',
  pending: 'end',
  in_flight: 'mark_unknown',
  applied: 'record_applied',
  failed: 'end',
  needs_reconcile: 'mark_unknown',
  indeterminate: 'suspend',
};

/** `indeterminate`: the person skipped it; its outcome stays unknown and the run goes forward. */
function afterSettling({ effect, isOurs }: FoundRun): Continuation {
  switch (effect) {
    case 'applied':
    case 'indeterminate':
      return isOurs ? 'continue_in_place' : 'continue_in_new_run';
    case 'failed':
      return 'start_over_now';
    case 'in_flight':
      return 'resend';
    case 'needs_reconcile':
    case 'pending':
    case 'none':
      return 'wait';
    default:
      return unreachable(effect);
  }
}

function afterOutcome({ effect }: FoundRun): Continuation {
  if (effect === 'applied') return 'continue_in_place';
  return effect === 'failed' ? 'start_over' : 'wait';
}

function afterResume({ position, effect, isOurs }: FoundRun): Continuation {
  switch (position) {
    case 'suspended_after':
      return isOurs ? 'continue_in_place' : 'continue_in_new_run';
    case 'suspended_before':
    case 'suspended_at':
      return canStartOver(effect) ? 'start_over_now' : 'wait';
    default:
      return 'wait';
  }
}

/** `pending` is an open question, which only its answer ends. */
function canStartOver(effect: EffectStatus): boolean {
  return effect === 'none' || effect === 'failed';
}

/** Canceling is about the run: its events go back, and a new run takes them. */
function afterCancel({ position, effect }: FoundRun): Continuation {
  switch (position) {
    case 'before_effect':
      return 'cancel_in_lane';
    case 'suspended_before':
    case 'suspended_at':
      return canStartOver(effect) || effect === 'pending' ? 'start_over_now' : 'refuse';
    default:
      return 'refuse';
  }
}
