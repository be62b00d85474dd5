// What of the history may leave the database. Rows go in groups: a run with every event that it took
// and every other run that took one of them; if one of them is not done with, all stay.
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
  return hasEnded && !event.isSetAside && event.updatedAt < cutoff && !event.hasIncident;
}

/**
 * Nothing younger than this leaves. `syncedAt`: when each paired device last had everything; what one
 * of them may not have seen stays, so that it can still find out that two did the same.
 */
export function cutoffOf(now: number, days: number, syncedAt: readonly number[]): number {
  return Math.min(now - days * 24 * 60 * 60 * 1000, ...syncedAt);
}
