// Stored times until which something waits, read by a clock that may have been set back since.

/**
 * The time until which to wait. Null if it is past, or further ahead than the longest wait of its kind:
 * then the clock was set back after it was stored.
 */
export function waitUntil(stored: number | null, now: number, longest: number): number | null {
  return stored !== null && stored > now && stored <= now + longest ? stored : null;
}
