// The only way to wait: a condition that is looked at until it holds or its deadline has passed.
import { setTimeout as pause } from 'node:timers/promises';
import { Mismatch } from '#test/blackbox/harness/expect.ts';

const LOOK_EVERY_MS = 30;

export interface Look<Found> {
  readonly found?: Found | undefined;
  /** Shown if the deadline passes. */
  readonly saw?: unknown;
}

/** Resolves with what `look` found. An error that `look` throws counts as "not yet". */
export async function untilFound<Found>(
  what: string,
  deadlineMs: number,
  look: () => Promise<Look<Found>> | Look<Found>,
): Promise<Found> {
  const deadline = performance.now() + deadlineMs;
  let saw: unknown;
  for (;;) {
    try {
      const looked = await look();
      if (looked.found !== undefined) return looked.found;
      ({ saw } = looked);
    } catch (error) {
      saw = error;
    }
    if (performance.now() > deadline) {
      throw new Mismatch(what, `to happen within ${Math.round(deadlineMs / 1000)} s`, saw);
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** Resolves once what `look` returns satisfies `holds`. */
export function untilHolds<Seen>(
  what: string,
  deadlineMs: number,
  look: () => Promise<Seen> | Seen,
  holds: (seen: Seen) => boolean,
): Promise<Seen> {
  return untilFound(what, deadlineMs, async () => {
    const seen = await look();
    return holds(seen) ? { found: seen } : { saw: seen };
  });
}
