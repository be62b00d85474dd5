// Decides which history may be deleted. Rows are deleted in groups: a run, the events it reserved and
// every other run that reserved one of them. If one row of a group is still needed, all of them stay.
import { isUnfinished, type AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';

export interface OldRun {
  readonly id: string;
  readonly phase: string;
  readonly endedAt: number | null;
  readonly effect: { readonly status: MutationStatus; readonly isResolved: boolean } | null;
  /** A decision about its effect has not been carried out. */
  readonly hasOpenDecision: boolean;
  /** Another row depends on it: an open run that continues it, an unfinished event that it published,
   * or the state or next retry of its handler. */
  readonly isNeeded: boolean;
  /** It has an incident that no person has acknowledged. */
  readonly hasIncident: boolean;
}

export interface OldEvent {
  readonly id: string;
  readonly status: string;
  /** Set aside after failures, and waiting for a person. */
  readonly isSetAside: boolean;
  readonly updatedAt: number;
  readonly hasIncident: boolean;
  /** Its input has not ended; the input's status is derived from its events. */
  readonly isInputOpen: boolean;
}

export interface OldInput {
  readonly status: AutomationRunStatus;
  readonly endedAt: number | null;
  /** It has events left, which are deleted first together with their runs. */
  readonly hasEvents: boolean;
  /** A stage has work for it, or gave up and waits for a person. */
  readonly hasWork: boolean;
  /** An intent about its workflow has not been carried out. */
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

/** A skipped unknown outcome counts as known, because nobody will check it again. */
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
 * Rows that ended after this stay. `syncedAt` holds the time at which each paired device was last fully
 * synced: rows that a device may not have seen stay, so that it can still detect double work.
 */
export function cutoffOf(now: number, days: number, syncedAt: readonly number[]): number {
  return Math.min(now - days * 24 * 60 * 60 * 1000, ...syncedAt);
}
