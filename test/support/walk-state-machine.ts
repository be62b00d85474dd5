// Explores a pure state machine: every reachable state and every transition.
import { isRejection, type Rejection } from '#shared/rejection.ts';

export interface Step<State> {
  readonly from: State;
  readonly to: State;
}

/** All transitions that are reachable from `start` with `events`. */
export function walk<State extends object, Event>(
  start: State,
  events: readonly Event[],
  transition: (state: State, event: Event) => State | Rejection,
  keyOf: (state: State) => string,
): Step<State>[] {
  const seen = new Map<string, State>([[keyOf(start), start]]);
  const steps: Step<State>[] = [];
  for (const state of seen.values()) {
    for (const event of events) {
      const to = transition(state, event);
      if (isRejection(to)) continue;
      steps.push({ from: state, to });
      if (!seen.has(keyOf(to))) seen.set(keyOf(to), to);
    }
  }
  return steps;
}
