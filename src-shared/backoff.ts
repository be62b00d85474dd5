// Exponential backoff with jitter, so that many retries do not run at the same moment.
import { MAX_RETRY_AFTER_MS } from '#shared/limits.ts';

export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** No `backoffDelay` is longer. */
export function longestDelay({ maxMs }: Backoff): number {
  return Math.round(maxMs * 1.5);
}

/** `failures` starts at 1. `random`, from 0 to 1, adds up to half of the delay. */
export function backoffDelay(failures: number, { baseMs, maxMs }: Backoff, random: number): number {
  const delay = Math.min(baseMs * 2 ** (failures - 1), maxMs);
  return Math.round(delay * (1 + random / 2));
}

/** No `retryDelay` is longer. */
export function longestRetry(backoff: Backoff): number {
  return Math.max(longestDelay(backoff), MAX_RETRY_AFTER_MS);
}

/** Like `backoffDelay`, and not shorter than the outside asked for (`retryAfterMs`). */
export function retryDelay(
  failures: number,
  backoff: Backoff,
  random: number,
  retryAfterMs = 0,
): number {
  return Math.max(
    backoffDelay(failures, backoff, random),
    Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),
  );
}
