// How long something has been waiting for the outside. Pure.

export interface OutsideWaiting {
  readonly since: number;
  /** When this was last looked at. */
  readonly at: number;
}

/** `before`: as it was last looked at; null if the wait begins now. */
export function waitingAfter(before: OutsideWaiting | null, now: number): OutsideWaiting {
  if (!before) return { since: now, at: now };
  // If the clock was set back meanwhile, the start moves with it: the time waited so far counts.
  return { since: before.since - Math.max(0, before.at - now), at: now };
}

/** How long a piece of work has waited that arrived at this time: no longer than it exists. */
export function waitedMs(since: number, arrivedAt: number, now: number): number {
  const isTrusted = arrivedAt <= now;
  return now - (isTrusted ? Math.max(since, arrivedAt) : since);
}
