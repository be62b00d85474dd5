// Reconnect backoff. Starts short because the host is usually just restarting; jittered because
// many tabs may lose the same host at once.

export const BACKOFF_BASE_MS = 250;
export const BACKOFF_MAX_MS = 5_000;

/** `attempt` counts from 0; `random` is in [0, 1). */
export function backoffDelay(attempt: number, random: number): number {
  const full = Math.min(BACKOFF_MAX_MS, BACKOFF_BASE_MS * 2 ** Math.min(attempt, 16));
  return Math.round(full * (0.5 + random / 2));
}
