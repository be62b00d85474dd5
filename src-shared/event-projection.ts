// What the status of an event should be, from the runs that took it. The status itself is only a
// projection: after a merge it may be the older of two, and is brought back to this.
import type { EventState } from '#shared/machines/event.ts';

export interface Holder {
  readonly runId: string;
  readonly attempt: number;
  readonly end: 'committed' | 'failed' | 'open';
  /** A person skipped its effect. */
  readonly isSkipped: boolean;
}

/** Terminal beats reserved beats pending, in the latest attempt that anyone has seen. */
export function projectEvent(event: EventState, holders: readonly Holder[]): EventState {
  const attempt = Math.max(event.attempt, ...holders.map((holder) => holder.attempt));
  const current: EventState = attempt === event.attempt ? event : { status: 'pending', attempt };
  if (current.status === 'consumed' || current.status === 'skipped') return current;
  const ofAttempt = holders.filter((holder) => holder.attempt === attempt);
  const known = current.status === 'reserved' ? current.reservedByRunId : undefined;
  const pick = (end: Holder['end']): Holder | undefined => {
    const fitting = ofAttempt
      .filter((holder) => holder.end === end)
      .toSorted((one, other) => (one.runId < other.runId ? -1 : 1));
    return fitting.find(({ runId }) => runId === known) ?? fitting[0];
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
  // Reserved by a run that is not here yet: its row says more than we know.
  const isUnknown = known !== undefined && !ofAttempt.some(({ runId }) => runId === known);
  return isUnknown ? current : { status: 'pending', attempt };
}

/** The legal way from one state to the other; empty when they are the same. */
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
