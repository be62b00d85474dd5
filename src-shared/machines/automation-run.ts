// The state machine of an input's run (spec 004). Every run ends. A person may settle a bad end once;
// the first end stays in the history.
import { reject, unreachable, type Rejection } from '#shared/rejection.ts';

export const AUTOMATION_RUN_STATUSES = [
  'queued',
  'enriching',
  'ready',
  'running',
  'succeeded',
  'failed',
  'needs_human',
  'canceled',
  'timed_out',
  'skipped',
] as const;
export type AutomationRunStatus = (typeof AUTOMATION_RUN_STATUSES)[number];

export const STAGES = ['enrich', 'execute', 'finalize'] as const;
export type Stage = (typeof STAGES)[number];

export type AutomationRunState =
  | { readonly status: 'queued' | 'enriching' | 'ready' | 'running' }
  | { readonly status: 'needs_human'; readonly reason: string }
  | {
      readonly status: 'succeeded';
      readonly completionId: string;
      /** A remark for a person, although the run succeeded. */
      readonly reason?: string;
      readonly settled?: string;
    }
  | {
      readonly status: 'failed' | 'timed_out';
      readonly stage: Stage;
      readonly reason: string;
      readonly settled?: string;
    }
  | { readonly status: 'canceled' | 'skipped'; readonly reason: string };

export type AutomationRunTransition =
  | { readonly type: 'enrich' }
  | { readonly type: 'enriched' }
  | { readonly type: 'execute' }
  | { readonly type: 'need_human'; readonly reason: string }
  /** The person's task is done. */
  | { readonly type: 'go_on' }
  | { readonly type: 'complete'; readonly completionId: string; readonly reason?: string }
  | { readonly type: 'fail'; readonly stage: Stage; readonly reason: string }
  | { readonly type: 'time_out'; readonly stage: Stage; readonly reason: string }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'skip'; readonly reason: string }
  | {
      readonly type: 'settle';
      readonly as: 'succeeded' | 'failed';
      readonly reason: string;
      readonly completionId: string;
    };

/**
 * The parties that may move a run: a stage that holds its lease, the engine after handler runs, the
 * finalizer after a deadline, and a person by a decision.
 */
export const ACTORS = ['stage', 'engine', 'finalizer', 'person'] as const;
export type Actor = (typeof ACTORS)[number];

const MAY: { readonly [type in AutomationRunTransition['type']]: readonly Actor[] } = {
  enrich: ['stage'],
  enriched: ['stage'],
  execute: ['stage'],
  need_human: ['engine'],
  go_on: ['engine'],
  complete: ['engine'],
  fail: ['stage', 'engine', 'finalizer'],
  time_out: ['finalizer'],
  cancel: ['finalizer', 'person'],
  skip: ['engine', 'finalizer', 'person'],
  settle: ['person'],
};

export const UNFINISHED: readonly AutomationRunStatus[] = [
  'queued',
  'enriching',
  'ready',
  'running',
  'needs_human',
];
const SETTLEABLE: readonly AutomationRunStatus[] = ['failed', 'timed_out', 'needs_human'];

export function isUnfinished(status: AutomationRunStatus): boolean {
  return UNFINISHED.includes(status);
}

export function mayMove(actor: Actor, event: AutomationRunTransition): boolean {
  return MAY[event.type].includes(actor);
}

/** Whether the event was applied before; applying it again changes nothing and is not an error. */
export function isRepeat(state: AutomationRunState, event: AutomationRunTransition): boolean {
  switch (event.type) {
    case 'enrich':
      return state.status === 'enriching';
    case 'enriched':
      return state.status === 'ready';
    case 'execute':
    case 'go_on':
      return state.status === 'running';
    case 'need_human':
      return state.status === 'needs_human';
    case 'complete':
      return state.status === 'succeeded' && state.completionId === event.completionId;
    case 'fail':
    case 'time_out': {
      const status = event.type === 'fail' ? 'failed' : 'timed_out';
      return state.status === status && state.stage === event.stage && !state.settled;
    }
    case 'cancel':
      return state.status === 'canceled';
    case 'skip':
      return state.status === 'skipped';
    case 'settle':
      return state.status === event.as && 'settled' in state && state.settled === event.reason;
    default:
      return unreachable(event);
  }
}

export function transitionAutomationRun(
  state: AutomationRunState,
  event: AutomationRunTransition,
): AutomationRunState | Rejection {
  const refuse = (): Rejection => reject('automation run', state.status, event.type);
  switch (event.type) {
    case 'enrich':
      return state.status === 'queued' ? { status: 'enriching' } : refuse();
    case 'enriched':
      return state.status === 'enriching' ? { status: 'ready' } : refuse();
    case 'execute':
      return state.status === 'ready' ? { status: 'running' } : refuse();
    case 'need_human':
      return state.status === 'running'
        ? { status: 'needs_human', reason: event.reason }
        : refuse();
    case 'go_on':
      return state.status === 'needs_human' ? { status: 'running' } : refuse();
    case 'complete':
      return state.status === 'running'
        ? {
            status: 'succeeded',
            completionId: event.completionId,
            ...(event.reason === undefined ? {} : { reason: event.reason }),
          }
        : refuse();
    case 'fail':
      return isUnfinished(state.status)
        ? { status: 'failed', stage: event.stage, reason: event.reason }
        : refuse();
    case 'time_out':
      return isUnfinished(state.status)
        ? { status: 'timed_out', stage: event.stage, reason: event.reason }
        : refuse();
    case 'cancel':
      return isUnfinished(state.status) ? { status: 'canceled', reason: event.reason } : refuse();
    case 'skip':
      return isUnfinished(state.status) ? { status: 'skipped', reason: event.reason } : refuse();
    case 'settle':
      return isSettleable(state) ? settle(state, event) : refuse();
    default:
      return unreachable(event);
  }
}

/** A run can be settled only once. */
function isSettleable(state: AutomationRunState): boolean {
  return SETTLEABLE.includes(state.status) && !('settled' in state);
}

function settle(
  state: AutomationRunState,
  event: AutomationRunTransition & { type: 'settle' },
): AutomationRunState {
  if (event.as === 'succeeded') {
    return { status: 'succeeded', completionId: event.completionId, settled: event.reason };
  }
  const stage = 'stage' in state ? state.stage : 'execute';
  return { status: 'failed', stage, reason: event.reason, settled: event.reason };
}
