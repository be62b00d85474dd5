// Derives the status of an event from the runs that reserved it. The stored status is a projection:
// after a merge it may be stale, and the store then moves it to the derived one.
import type { EventState } from '#shared/machines/event.ts';

export interface Holder {
  readonly runId: string;
  readonly attempt: number;
  readonly end: 'committed' | 'failed' | 'open';
  /** A person skipped the effect of this run. */
  readonly isSkipped: boolean;
}

/** In the latest known attempt, a final status wins over reserved, and reserved over pending. */
export function projectEvent(event: EventState, holders: readonly Holder[]): EventState {
  const attempt = Math.max(event.attempt, ...holders.map((holder) => holder.attempt));
  const current: EventState = attempt === event.attempt ? event : { status: 'pending', attempt };
  if (current.status === 'consumed' || current.status === 'skipped') return current;
  const ofAttempt = holders.filter((holder) => holder.attempt === attempt);
  const known = current.status === 'reserved' ? current.reservedByRunId : undefined;
  const pick = (end: Holder['end']): Holder | undefined => {
    const candidates = ofAttempt
      .filter((holder) => holder.end === end)
      .toSorted((one, other) => (one.runId < other.runId ? -1 : 1));
    return candidates.find(({ runId }) => runId === known) ?? candidates[0];
  };
  const committed = pick('committed');
  if (committed?.isSkipped) {
    return {
      status: 'skipped',
      attempt,
      reservedByRunId: committed.runId,
      reason: 'by_person',
    };
  }
  if (committed) return { status: 'consumed', attempt, reservedByRunId: committed.runId };
  const open = pick('open');
  if (open) return { status: 'reserved', attempt, reservedByRunId: open.runId };
  // The run that reserved it has not been merged yet, so its status cannot be derived.
  const isUnknown = known !== undefined && !ofAttempt.some(({ runId }) => runId === known);
  return isUnknown ? current : { status: 'pending', attempt };
}

/** The legal transitions from one state to the other; empty if they are equal. */
export function pathOfEvent(from: EventState, to: EventState): EventState[] {
  const path: EventState[] = [];
  let at = from;
  const go = (state: EventState): void => {
    path.push(state);
    at = state;
  };
  if (at.attempt !== to.attempt) {
    if (at.status === 'reserved') go({ status: 'pending', attempt: at.attempt });
    if (at.status === 'pending') go({ status: 'skipped', attempt: at.attempt });
    go({ status: 'pending', attempt: to.attempt });
  }
  const runIdOf = (state: EventState): string | undefined =>
    'reservedByRunId' in state ? state.reservedByRunId : undefined;
  if (at.status === 'reserved' && runIdOf(at) !== runIdOf(to)) {
    go({ status: 'pending', attempt: to.attempt });
  }
  const runId = runIdOf(to);
  if (at.status === 'pending' && runId !== undefined && to.status !== 'pending') {
    go({ status: 'reserved', attempt: to.attempt, reservedByRunId: runId });
  }
  if (at.status !== to.status) go(to);
  return path;
}
