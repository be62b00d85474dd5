// Derives the next step of an input's run from its events, their runs and their effects. Pure: reading
// and writing them is elsewhere.
import type { Stopping } from '#shared/inputs/stopping.ts';
import type {
  AutomationRunStatus,
  AutomationRunTransition,
  Stage,
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
  /** `ctx.complete` was called. */
  readonly hasCompletion: boolean;
}

export type DerivedStep =
  | { readonly type: 'stay' }
  | { readonly type: 'need_human'; readonly reason: string }
  | { readonly type: 'go_on' }
  /** Nothing is left, so it succeeds. */
  | { readonly type: 'drained'; readonly reason?: string }
  | { readonly type: 'fail'; readonly stage: Stage; readonly reason: string }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'time_out'; readonly reason: string };

const STAY: DerivedStep = { type: 'stay' };

/** The condition on which an input succeeds: all of its work is done, or only `ctx.complete`. */
export const COMPLETES = ['drained', 'explicit'] as const;
export type Completes = (typeof COMPLETES)[number];

const NOT_COMPLETED =
  'All of its work ended, but the workflow did not call ctx.complete, which this workflow requires. Effects that were made stay made. Settle the input, or call ctx.complete in next() and start it again.';

/** For a stopping run, the caller skips its pending events first. */
export function deriveStep(
  status: AutomationRunStatus,
  stopping: Stopping | null,
  work: WorkUnderInput,
  completes: () => Completes = () => 'drained',
): DerivedStep {
  const isExecuting = status === 'running' || status === 'needs_human';
  if (work.isLeft) {
    if (status === 'running' && work.waitsForPerson !== null) {
      return { type: 'need_human', reason: work.waitsForPerson };
    }
    return status === 'needs_human' && work.waitsForPerson === null ? { type: 'go_on' } : STAY;
  }
  if (stopping) return stepOfStop(stopping, work);
  if (!isExecuting) return STAY;
  // One step at a time: `needs_human` becomes `running` before it ends.
  if (status === 'needs_human') return { type: 'go_on' };
  return endOf(work, completes);
}

/** Skipped means that nothing was done, so an input that has sent an effect is canceled instead. */
export function stepOfStop(
  { as, reason }: Pick<Stopping, 'as' | 'reason'>,
  { hasSent }: Pick<WorkUnderInput, 'hasSent'>,
): Exclude<DerivedStep, { type: 'stay' }> {
  if (as === 'failed') return { type: 'fail', stage: 'finalize', reason };
  if (as === 'timed_out') return { type: 'time_out', reason };
  if (as === 'canceled') return { type: 'cancel', reason };
  if (!hasSent) return { type: 'skip', reason };
  const said = reason === '' ? '' : ` You wrote: ${reason}`;
  return {
    type: 'cancel',
    reason: `It had already sent an effect, which is not undone.${said}`,
  };
}

function endOf(work: WorkUnderInput, completes: () => Completes): DerivedStep {
  const { setAside, consumed, skipped, hasFollowed, hasCompletion } = work;
  if (setAside > 0) {
    const what = setAside === 1 ? 'One event was' : `${setAside} events were`;
    const reason = `${what} set aside after failing too often.`;
    return { type: 'fail', stage: 'execute', reason };
  }
  if (skipped > 0 && consumed === 0) {
    return { type: 'skip', reason: 'All of its events were skipped.' };
  }
  if (consumed > 0 && !hasCompletion && completes() === 'explicit') {
    return { type: 'fail', stage: 'finalize', reason: NOT_COMPLETED };
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
    case 'time_out':
      return { ...step, stage: 'finalize' };
    default:
      return step;
  }
}
