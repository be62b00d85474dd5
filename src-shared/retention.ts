// What of the history may leave the database. Rows go in groups: a run with every event that it took
// and every other run that took one of them; if one of them is not done with, all stay.
import { isUnfinished, type AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';

export interface OldRun {
  readonly id: string;
  readonly phase: string;
  readonly endedAt: number | null;
  readonly effect: { readonly status: MutationStatus; readonly isResolved: boolean } | null;
  /** A decision about its effect that nobody has carried out yet. */
  readonly hasOpenDecision: boolean;
  /** Somebody still goes by it: a run that is open and goes on for it, what it published and is not
   * done with, the state or the next try of its handler. */
  readonly isNeeded: boolean;
  /** An incident about it that nobody has acknowledged. */
  readonly hasIncident: boolean;
}

export interface OldEvent {
  readonly id: string;
  readonly status: string;
  /** Set aside after failures: it waits for a person. */
  readonly isSetAside: boolean;
  readonly updatedAt: number;
  readonly hasIncident: boolean;
  /** The input that it belongs to has not ended: how it ends follows from its events. */
  readonly isInputOpen: boolean;
}

export interface OldInput {
  readonly status: AutomationRunStatus;
  readonly endedAt: number | null;
  /** An event of it that has not left, and the runs that took it: they go first. */
  readonly hasEvents: boolean;
  /** A stage that has something to do for it, or gave up and waits for a person. */
  readonly hasWork: boolean;
  /** Something that somebody asked of its workflow and that nobody has carried out. */
  readonly hasOpenIntent: boolean;
}

export function isRunDone(run: OldRun, cutoff: number): boolean {
  const hasEnded = run.phase === 'committed' || run.phase === 'failed';
  const isOld = run.endedAt !== null && run.endedAt < cutoff;
  return (
    hasEnded &&
    isOld &&
    isEffectKnown(run) &&
    !run.hasOpenDecision &&
    !run.isNeeded &&
    !run.hasIncident
  );
}

/** What a person skipped stays unknown for good, and nobody asks for it any more. */
function isEffectKnown({ effect }: OldRun): boolean {
  if (effect === null) return true;
  switch (effect.status) {
    case 'applied':
    case 'failed':
      return true;
    case 'indeterminate':
      return effect.isResolved;
    case 'pending':
    case 'in_flight':
    case 'needs_reconcile':
      return false;
  }
}

export function isEventDone(event: OldEvent, cutoff: number): boolean {
  const hasEnded = event.status === 'consumed' || event.status === 'skipped';
  const isOld = event.updatedAt < cutoff;
  return hasEnded && !event.isSetAside && isOld && !event.hasIncident && !event.isInputOpen;
}

export function isInputDone(input: OldInput, cutoff: number): boolean {
  const hasEnded = !isUnfinished(input.status);
  const isOld = input.endedAt !== null && input.endedAt < cutoff;
  return hasEnded && isOld && !input.hasEvents && !input.hasWork && !input.hasOpenIntent;
}

/**
 * Nothing younger than this leaves. `syncedAt`: when each paired device last had everything; what one
 * of them may not have seen stays, so that it can still find out that two did the same.
 */
export function cutoffOf(now: number, days: number, syncedAt: readonly number[]): number {
  return Math.min(now - days * 24 * 60 * 60 * 1000, ...syncedAt);
}
