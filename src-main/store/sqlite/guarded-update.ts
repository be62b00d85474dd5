// A transition that the pure machine allows, written as a guarded update. Three things must agree
// before a row changes: the machine, the guard in the update, and the trigger in the database.
import { isRejection, type Rejection } from '#shared/rejection.ts';

/** Who writes: the device that made the row, or a later owner, beside it (src-shared/takeover-precedence.ts). */
export type Side = 'maker' | 'owner';

export interface NotFound {
  readonly type: 'not_found';
  readonly message: string;
}

export type TransitionResult<State> =
  | { readonly type: 'moved'; readonly state: State }
  | NotFound
  | Rejection;

export function notFound(kind: string, id: string): NotFound {
  return { type: 'not_found', message: `There is no ${kind} with the id "${id}".` };
}

/**
 * Reads the state, asks the machine, writes with the state read as the guard. To be called inside
 * a write: nobody else can then write in between, so a guard that misses is a broken invariant.
 */
export function moveGuarded<State extends object>(steps: {
  readonly kind: string;
  readonly id: string;
  readonly read: () => State | undefined;
  readonly decide: (state: State) => State | Rejection;
  readonly update: (from: State, to: State) => number;
}): TransitionResult<State> {
  const from = steps.read();
  if (!from) return notFound(steps.kind, steps.id);
  const to = steps.decide(from);
  if (isRejection(to)) return to;
  if (steps.update(from, to) !== 1) {
    throw new Error(`The ${steps.kind} ${steps.id} changed under a write lock.`);
  }
  return { type: 'moved', state: to };
}
