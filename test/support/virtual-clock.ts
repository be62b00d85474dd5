// A clock that moves only when the test advances it.
import type { Clock } from '#shared/clock.ts';

export interface VirtualClock extends Clock {
  /** Advances the time and calls every wake-up that becomes due, in order. */
  advance(ms: number): Promise<void>;
  /**
   * The time passes, and nothing wakes: the computer sleeps, or the process is stopped. What became due
   * wakes late, with the next `advance`, also of 0 ms.
   */
  suspend(ms: number): void;
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
    suspend: (ms) => {
      time += ms;
    },
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
        // The woken code may run and sleep again within the same advance.
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      }
      time = end;
    },
  };
}
