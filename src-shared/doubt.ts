// When negative answers prove that an effect of unknown outcome didn't happen. A tool only reports what
// it saw: the request may still be under way, and the outside may be asked too early. So two negatives
// are needed, and the second one only after the effect's window has passed.
//
// The window counts awake time since the doubt was recorded. Wall-clock time also passes while the
// computer sleeps, and then the service, the network or this process did nothing.
import { NEGATIVES_APART_MS } from '#shared/limits.ts';

/**
 * A moment of awake time (src-main/platform/awake-time.ts). Moments of different spans can't be
 * compared: a sleep, a jump of the clock or a restart lies between them.
 */
export interface AwakeMoment {
  readonly span: string;
  readonly ms: number;
}

export interface Doubt {
  /** The span in which the window counts. In another span it starts again. */
  readonly span: string;
  readonly since: number;
  /** The first of the negatives. */
  readonly negativeAt?: number;
}

export type NegativeMeans =
  | { readonly type: 'did_not_happen' }
  /** `waitMs`: the time until a negative can be conclusive. */
  | { readonly type: 'not_yet'; readonly doubt: Doubt; readonly waitMs: number };

export function startDoubt({ span, ms }: AwakeMoment): Doubt {
  return { span, since: ms };
}

/** `askedAt`: before the question, because the outside may have answered at any time since. */
export function afterNegative(
  known: Doubt | undefined,
  askedAt: AwakeMoment,
  now: AwakeMoment,
  windowMs: number,
): NegativeMeans {
  if (askedAt.span !== now.span) {
    return { type: 'not_yet', doubt: startDoubt(now), waitMs: windowMs };
  }
  const doubt = known?.span === now.span ? known : startDoubt(askedAt);
  const negativeAt = doubt.negativeAt ?? askedAt.ms;
  const waitMs = Math.max(
    doubt.since + windowMs - askedAt.ms,
    negativeAt + NEGATIVES_APART_MS - askedAt.ms,
  );
  if (waitMs <= 0) return { type: 'did_not_happen' };
  return { type: 'not_yet', doubt: { ...doubt, negativeAt }, waitMs };
}

/** An unclear answer discards earlier negatives. The window continues. */
export function afterUnclear(known: Doubt | undefined, now: AwakeMoment): Doubt {
  if (known?.span !== now.span) return startDoubt(now);
  return { span: known.span, since: known.since };
}
