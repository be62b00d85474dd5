// The system clock with idle time skipped, so that hours of backoff take no time.
import { systemClock } from '#main/platform/system.ts';
import type { Clock } from '#shared/clock.ts';

export interface JumpingClock extends Clock {
  /** Moves to the earliest pending wake-up. */
  jump(): void;
}

interface Waiting {
  readonly time: number;
  readonly wake: () => void;
  cancel: () => void;
}

export function createJumpingClock(): JumpingClock {
  let skipped = 0;
  const waiting = new Set<Waiting>();
  const now = (): number => systemClock.now() + skipped;
  const start = (sleeper: Waiting): void => {
    sleeper.cancel();
    sleeper.cancel = systemClock.wakeAt(sleeper.time - skipped, () => {
      waiting.delete(sleeper);
      sleeper.wake();
    });
  };
  const wakeAt = (time: number, wake: () => void): (() => void) => {
    const sleeper: Waiting = { time, wake, cancel: () => undefined };
    waiting.add(sleeper);
    start(sleeper);
    return () => {
      waiting.delete(sleeper);
      sleeper.cancel();
    };
  };
  return {
    now,
    wakeAt,
    sleep: (ms) => new Promise((wake) => void wakeAt(now() + ms, wake)),
    jump() {
      const next = Math.min(...[...waiting].map(({ time }) => time));
      if (!Number.isFinite(next) || next <= now()) return;
      skipped += next - now();
      for (const sleeper of waiting) start(sleeper);
    },
  };
}
