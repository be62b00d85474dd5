// Derives the next step of an input's run from its events, their runs and their effects. Pure: reading
// and writing them is elsewhere.
import type { Stopping } from '#shared/inputs/stopping.ts';
import type {
  AutomationRunStatus,
  AutomationRunTransition,
} from '#shared/machines/automation-run.ts';

/** The state of everything that an input caused. */
export interface WorkUnderInput {
  /** Events are pending or reserved, or runs that handle them are unfinished. */
  readonly isLeft: boolean;
  /** Why a person is needed; null when none is. */
  readonly waitsForPerson: string | null;
  /** Number of its events in each final state. */
  readonly consumed: number;
  readonly setAside: number;
  readonly skipped: number;
  /** An effect went out; its outcome may have stayed unknown. */
  readonly hasSent: boolean;
  /** An effect, a further event or a result. */
  readonly hasFollowed: boolean;
}

export type DerivedStep =
  | { readonly type: 'stay' }
  | { readonly type: 'need_human'; readonly reason: string }
  | { readonly type: 'go_on' }
  /** Nothing is left, so it succeeds. */
  | { readonly type: 'drained'; readonly reason?: string }
  | { readonly type: 'fail'; readonly reason: string }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'time_out'; readonly reason: string };

const STAY: DerivedStep = { type: 'stay' };

const STOPPED_BY = { skipped: 'skip', canceled: 'cancel', timed_out: 'time_out' } as const;

/** For a stopping run, the caller skips its pending events first. */
export function deriveStep(
  status: AutomationRunStatus,
  stopping: Stopping | null,
  work: WorkUnderInput,
): DerivedStep {
  const isExecuting = status === 'running' || status === 'needs_human';
  if (work.isLeft) {
    if (status === 'running' && work.waitsForPerson !== null) {
      return { type: 'need_human', reason: work.waitsForPerson };
    }
    return status === 'needs_human' && work.waitsForPerson === null ? { type: 'go_on' } : STAY;
  }
  if (stopping) return stopOf(stopping, work);
  if (!isExecuting) return STAY;
  // One step at a time: `needs_human` becomes `running` before it ends.
  if (status === 'needs_human') return { type: 'go_on' };
  return endOf(work);
}

/** Skipped means that nothing was done, so an input that has sent an effect is canceled instead. */
function stopOf({ as, reason }: Stopping, { hasSent }: WorkUnderInput): DerivedStep {
  if (as !== 'skipped' || !hasSent) return { type: STOPPED_BY[as], reason };
  const said = reason === '' ? '' : ` You wrote: ${reason}`;
  return {
    type: 'cancel',
    reason: `It had already sent an effect, which is not undone.${said}`,
  };
}

function endOf({ setAside, consumed, skipped, hasFollowed }: WorkUnderInput): DerivedStep {
  if (setAside > 0) {
    const what = setAside === 1 ? 'One event was' : `${setAside} events were`;
    return { type: 'fail', reason: `${what} set aside after failing too often.` };
  }
  if (skipped > 0 && consumed === 0) {
    return { type: 'skip', reason: 'All of its events were skipped.' };
  }
  if (hasFollowed) return { type: 'drained' };
  return {
    type: 'drained',
    reason: 'Nothing followed: no effect was made, and no further event was published.',
  };
}

/** The step as a transition of the state machine. */
export function toTransition(
  step: Exclude<DerivedStep, { type: 'stay' }>,
  completionId: string,
): AutomationRunTransition {
  switch (step.type) {
    case 'drained':
      return { ...step, type: 'complete', completionId };
    case 'fail':
      return { ...step, stage: 'execute' };
    case 'time_out':
      return { ...step, stage: 'finalize' };
    default:
      return step;
  }
}
