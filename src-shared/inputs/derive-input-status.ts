// What the run of an input says follows from what is under it: its events, their runs, their
// effects. This is that rule, and nothing else; who reads and who writes is elsewhere.
import type { Stopping } from '#shared/inputs/stopping.ts';
import type {
  AutomationRunStatus,
  AutomationRunTransition,
} from '#shared/machines/automation-run.ts';

export interface Under {
  /** Events that wait, or are taken, or runs that are still at work for them. */
  readonly isLeft: boolean;
  /** Why nothing goes on without a person; null: nothing waits for one. */
  readonly waitsForPerson: string | null;
  /** Of the events that are done with. */
  readonly consumed: number;
  readonly setAside: number;
  readonly skipped: number;
}

export type Followed =
  | { readonly type: 'stay' }
  | { readonly type: 'need_human'; readonly reason: string }
  | { readonly type: 'go_on' }
  /** Nothing is left: it ends, this way. */
  | { readonly type: 'drained' }
  | { readonly type: 'fail'; readonly reason: string }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'time_out'; readonly reason: string };

const STAY: Followed = { type: 'stay' };

const STOPPED_BY = { skipped: 'skip', canceled: 'cancel', timed_out: 'time_out' } as const;

/** `stopping`: what was asked for; events that wait are let go of before this is asked. */
export function follow(
  status: AutomationRunStatus,
  stopping: Stopping | null,
  under: Under,
): Followed {
  const isExecuting = status === 'running' || status === 'needs_human';
  if (under.isLeft) {
    if (status === 'running' && under.waitsForPerson !== null) {
      return { type: 'need_human', reason: under.waitsForPerson };
    }
    return status === 'needs_human' && under.waitsForPerson === null ? { type: 'go_on' } : STAY;
  }
  if (stopping) return { type: STOPPED_BY[stopping.as], reason: stopping.reason };
  if (!isExecuting) return STAY;
  // One step at a time: what waited for a person goes on, and then it ends.
  if (status === 'needs_human') return { type: 'go_on' };
  return endOf(under);
}

function endOf({ setAside, consumed, skipped }: Under): Followed {
  if (setAside > 0) {
    const what = setAside === 1 ? 'One event was' : `${setAside} events were`;
    return { type: 'fail', reason: `${what} set aside after failing too often.` };
  }
  if (skipped > 0 && consumed === 0) {
    return { type: 'skip', reason: 'All of its events were skipped.' };
  }
  return { type: 'drained' };
}

/** The transition of the machine that it means. */
export function toTransition(
  followed: Exclude<Followed, { type: 'stay' }>,
  completionId: string,
): AutomationRunTransition {
  switch (followed.type) {
    case 'drained':
      return { type: 'complete', completionId };
    case 'fail':
      return { ...followed, stage: 'execute' };
    case 'time_out':
      return { ...followed, stage: 'finalize' };
    default:
      return followed;
  }
}
