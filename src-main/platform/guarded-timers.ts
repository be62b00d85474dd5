// A clock whose timers can't end the process: on a full disk the write in a callback fails, and an
// error that nobody catches would end the host with all its runs.
import type { Clock } from '#shared/clock.ts';

export function withGuardedTimers(clock: Clock, onError: (error: unknown) => void): Clock {
  return {
    now: () => clock.now(),
    ...(clock.monotonic && { monotonic: clock.monotonic }),
    sleep: (ms) => clock.sleep(ms),
    wakeAt: (time, wake) =>
      clock.wakeAt(time, () => {
        try {
          wake();
        } catch (error) {
          onError(error);
        }
      }),
  };
}
