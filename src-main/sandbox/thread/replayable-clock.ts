// The clock of a phase. It remembers what the code read, so that the code reads the same if it starts
// over in another thread.
import { MAX_CLOCK_READINGS } from '#main/sandbox/limits.ts';

export interface ReplayableClock {
  read(): number;
  /** The readings since the last call; null if there were too many to remember. */
  take(): readonly number[] | null;
}

export function createReplayableClock(
  earlier: readonly number[],
  elapsed: () => number,
): ReplayableClock {
  let fresh: number[] = [];
  let count = 0;
  return {
    read() {
      const reading = earlier[count] ?? elapsed();
      count += 1;
      if (fresh.length <= MAX_CLOCK_READINGS) fresh.push(reading);
      return reading;
    },
    take() {
      const taken = fresh;
      fresh = [];
      return taken.length > MAX_CLOCK_READINGS ? null : taken;
    },
  };
}
