// A virtual clock that jumps from one due time to the next. Between two, all work is finished, so the
// order of events depends on their times alone.
import type { Clock } from '#shared/clock.ts';

export interface SimulatedClock extends Clock {
  /** Advances the time and wakes everything that becomes due, in order. */
  pass(ms: number, settle: () => Promise<void>): Promise<void>;
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

export function createSimulatedClock(startAt = Date.UTC(2026, 0, 1)): SimulatedClock {
  let time = startAt;
  let order = 0;
  const sleepers = new Set<Sleeper>();
  const wakeAt = (at: number, wake: () => void): (() => void) => {
    order += 1;
    const sleeper = { at, order, wake };
    sleepers.add(sleeper);
    return () => sleepers.delete(sleeper);
  };
  const earliest = (): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const sleeper of sleepers) {
      const isEarlier = !first || sleeper.at < first.at;
      if (isEarlier || (sleeper.at === first?.at && sleeper.order < first.order)) first = sleeper;
    }
    return first;
  };
  return {
    now: () => time,
    wakeAt,
    sleep: (ms) => new Promise((wake) => void wakeAt(time + ms, wake)),
    async pass(ms, settle) {
      const end = time + ms;
      for (let next = earliest(); next && next.at <= end; next = earliest()) {
        sleepers.delete(next);
        time = Math.max(time, next.at);
        next.wake();
        await settle();
      }
      time = end;
      await settle();
    },
  };
}

/** The clock of one process: with a skew, and without wake-ups once the process is dead. */
export function clockOf(clock: Clock, skewMs: () => number, isAlive: () => boolean): Clock {
  const alive = (wake: () => void) => (): void => {
    if (isAlive()) wake();
  };
  return {
    now: () => clock.now() + skewMs(),
    wakeAt: (at, wake) => clock.wakeAt(at - skewMs(), alive(wake)),
    sleep: (ms) => new Promise((wake) => void clock.wakeAt(clock.now() + ms, alive(wake))),
  };
}
