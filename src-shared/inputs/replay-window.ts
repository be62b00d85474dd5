// How long a hook must remember what was signed: as long as the same bytes with the same signature
// would be taken again.
import type { HookAuth } from '#shared/inputs/hook.ts';
import { SIGNATURE_TOLERANCE_S } from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';

export interface SignedHook {
  readonly auth: HookAuth;
  /** When its secret was replaced, and until when the one before is taken. */
  readonly rotatedAt: number | null;
  readonly previousUntil: number | null;
}

/** What was taken before this need not be known any more; null: everything must be. */
export function proofsNeededSince(hook: SignedHook, now: number): number | null {
  const { auth, rotatedAt, previousUntil } = hook;
  switch (auth.kind) {
    case 'stripe':
      // The time in it may have been ahead by the tolerance when it came, and be behind by it now.
      return now - 2 * (auth.toleranceS ?? SIGNATURE_TOLERANCE_S) * 1000;
    case 'github':
      // Without a time in it, a signature is good as long as the secret is.
      return previousUntil !== null && previousUntil > now ? null : rotatedAt;
    case 'bearer':
      // Nothing is signed.
      return now;
    default:
      return unreachable(auth);
  }
}
