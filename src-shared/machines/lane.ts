// The activity of a workflow's lane: whether it works, and what follows when the work is done.
// The lane (src-main/engine/lane/lane.ts) starts working whenever this machine enters `working`.
import { unreachable } from '#shared/rejection.ts';

export type LaneState =
  /** There is nothing to do until something wakes the lane. */
  | { readonly type: 'idle' }
  | { readonly type: 'working'; readonly next: AfterWork }
  /** Begins nothing until released: the workflow is being handed over. */
  | { readonly type: 'held' }
  | { readonly type: 'stopped' };

/** `look_again`: the lane was woken after it last looked for work. */
export type AfterWork = 'idle' | 'look_again' | 'hold' | 'stop';

export const LANE_EVENTS = ['wake', 'hold', 'release', 'stop', 'done'] as const;
/** `done`: no work is left, or the lane was asked to hold or stop. */
export type LaneEvent = (typeof LANE_EVENTS)[number];

export function laneAfter(state: LaneState, event: LaneEvent): LaneState {
  switch (state.type) {
    case 'idle':
      return fromRest(event);
    case 'held':
      return event === 'wake' || event === 'hold' || event === 'done' ? state : fromRest(event);
    case 'working':
      return event === 'done' ? afterWork(state.next) : whileWorking(state.next, event);
    case 'stopped':
      return state;
    default:
      return unreachable(state);
  }
}

function fromRest(event: LaneEvent): LaneState {
  switch (event) {
    case 'wake':
    case 'release':
      return { type: 'working', next: 'idle' };
    case 'hold':
      return { type: 'held' };
    case 'stop':
      return { type: 'stopped' };
    case 'done':
      return { type: 'idle' };
    default:
      return unreachable(event);
  }
}

/** A stop is final, and only a release ends a hold. */
function whileWorking(next: AfterWork, event: Exclude<LaneEvent, 'done'>): LaneState {
  if (next === 'stop' || event === 'stop') return { type: 'working', next: 'stop' };
  if (event === 'hold') return { type: 'working', next: 'hold' };
  if (next === 'hold' && event === 'wake') return { type: 'working', next };
  return { type: 'working', next: 'look_again' };
}

function afterWork(next: AfterWork): LaneState {
  switch (next) {
    case 'idle':
      return { type: 'idle' };
    case 'look_again':
      return { type: 'working', next: 'idle' };
    case 'hold':
      return { type: 'held' };
    case 'stop':
      return { type: 'stopped' };
    default:
      return unreachable(next);
  }
}

/** Whether the lane must finish the run at hand and begin no other. */
export function mustFinish(state: LaneState): boolean {
  return state.type !== 'working' || state.next === 'hold' || state.next === 'stop';
}
