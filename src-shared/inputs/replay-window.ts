// Decides how long a hook must remember signed deliveries: as long as the same bytes with the same
// signature would be accepted again.
import type { HookAuth } from '#shared/inputs/hook.ts';
import { SIGNATURE_TOLERANCE_S } from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';

export interface SignedHook {
  readonly auth: HookAuth;
  /** When the secret was rotated, and until when the previous one is accepted. */
  readonly rotatedAt: number | null;
  readonly previousUntil: number | null;
}

/** Deliveries accepted before this time may be forgotten; null means that none may. */
export function proofsNeededSince(hook: SignedHook, now: number): number | null {
  const { auth, rotatedAt, previousUntil } = hook;
  switch (auth.kind) {
    case 'stripe':
      // The timestamp may have been ahead by the tolerance on arrival and be behind by it now.
      return now - 2 * (auth.toleranceS ?? SIGNATURE_TOLERANCE_S) * 1000;
    case 'github':
      // A signature without a timestamp is valid as long as its secret.
      return previousUntil !== null && previousUntil > now ? null : rotatedAt;
    case 'bearer':
      // Nothing is signed.
      return now;
    default:
      return unreachable(auth);
  }
}
