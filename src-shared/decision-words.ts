// A person's decisions about effects in words. Columns and states never reach a person.
import type { DecisionStatus } from '#shared/decision.ts';
import type { MutationStatus, Resolution } from '#shared/machines/mutation.ts';

export const DECISION_WORDS: Readonly<Record<Resolution, string>> = {
  user_assert_applied: 'it went through',
  user_assert_failed: "it didn't go through",
  user_retry: 'check or send it again',
  user_skip: 'skip it',
};

export const DECISION_STATUS_WORDS: Readonly<Record<DecisionStatus, string>> = {
  waiting: 'pending',
  done: 'carried out',
  superseded: 'superseded',
  refused: 'refused',
};

/** Effects as the command line shows them. */
export const EFFECT_WORDS: Readonly<Record<MutationStatus, string>> = {
  pending: 'not sent',
  in_flight: 'in flight',
  applied: 'applied',
  failed: 'failed',
  needs_reconcile: 'checking',
  indeterminate: 'outcome unknown',
};

/** Why a decision about this effect can't be carried out: it comes too late, or too early. */
export function whyNotSettled(status: MutationStatus, first: Resolution | undefined): string {
  switch (status) {
    case 'pending':
      return 'The effect was not sent yet, so there is nothing to settle.';
    case 'in_flight':
      return "The effect is in flight, so its outcome isn't known yet. If no reply comes, it appears in the inbox.";
    case 'needs_reconcile':
      return "Holdfast is checking whether it went through, so the outcome isn't known yet. If no check can tell, it appears in the inbox.";
    default:
      break;
  }
  if (first !== undefined) return `Another decision was first: "${DECISION_WORDS[first]}".`;
  if (status === 'indeterminate') return 'It is settled already.';
  const outcome = status === 'applied' ? 'it went through' : "it didn't go through";
  return `Its outcome is known by now: ${outcome}.`;
}
