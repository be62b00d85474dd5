// Walks a pure state machine: every state it can reach, and from which to which.
import { isRejection, type Rejection } from '#shared/rejection.ts';

export interface Step<State> {
  readonly from: State;
  readonly to: State;
}

/** All steps from `start` with `events`, each distinct state expanded once. */
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
