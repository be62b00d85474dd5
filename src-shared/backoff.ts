// Exponential backoff with jitter, so that many retries do not run at the same moment.

export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** No delay is longer. */
export function longestDelay({ maxMs }: Backoff): number {
  return Math.round(maxMs * 1.5);
}

/** `failures` starts at 1. `random`, from 0 to 1, adds up to half of the delay. */
export function backoffDelay(failures: number, { baseMs, maxMs }: Backoff, random: number): number {
  const delay = Math.min(baseMs * 2 ** (failures - 1), maxMs);
  return Math.round(delay * (1 + random / 2));
}
