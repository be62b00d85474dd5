// One clock for everything, injected. Tests and the simulator use the virtual one, so nothing
// in a test ever waits for real time.

export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Calls `wake` once when `time` has come; the answer calls it off. */
  wakeAt(time: number, wake: () => void): () => void;
}

export interface VirtualClock extends Clock {
  /** Moves time on and wakes, in order, everyone whose time has come. */
  advance(ms: number): Promise<void>;
}

export function createVirtualClock(startAt = Date.UTC(2026, 0, 1)): VirtualClock {
  let time = startAt;
  let sleepers: { wakeAt: number; wake: () => void }[] = [];
  const wakeAt = (at: number, wake: () => void): (() => void) => {
    const sleeper = { wakeAt: at, wake };
    sleepers.push(sleeper);
    return () => {
      sleepers = sleepers.filter((other) => other !== sleeper);
    };
  };
  return {
    now: () => time,
    wakeAt,
    sleep: (ms) => new Promise((wake) => void wakeAt(time + ms, wake)),
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = sleepers
          .filter((sleeper) => sleeper.wakeAt <= end)
          .toSorted((a, b) => a.wakeAt - b.wakeAt)[0];
        if (!next) break;
        sleepers = sleepers.filter((sleeper) => sleeper !== next);
        time = Math.max(time, next.wakeAt);
        next.wake();
        // Lets the woken code run, and perhaps sleep again within the same advance.
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      }
      time = end;
    },
  };
}

export function rfc3339(ms: number): string {
  return new Date(ms).toISOString();
}
