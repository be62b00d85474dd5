// The injected clock. Tests and the simulator inject a virtual one (test/support/virtual-clock.ts), so
// no test waits for real time.

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Milliseconds of a monotonic clock. Absent if `now` is monotonic itself (a virtual clock). */
  readonly monotonic?: () => number;
  sleep(ms: number): Promise<void>;
  /** Calls `wake` once at `time`. Returns a function that cancels it. */
  wakeAt(time: number, wake: () => void): () => void;
}

export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
