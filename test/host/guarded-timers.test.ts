import { describe, expect, it } from 'vitest';
import { withGuardedTimers } from '#main/platform/guarded-timers.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

describe('timers of the host', () => {
  it('[DB-19] an error in a timer is reported, and later timers still run', async () => {
    const clock = createVirtualClock();
    const errors: unknown[] = [];
    const guarded = withGuardedTimers(clock, (error) => errors.push(error));
    const full = new Error('database or disk is full');
    let calls = 0;
    guarded.wakeAt(clock.now() + 1, () => {
      throw full;
    });
    guarded.wakeAt(clock.now() + 2, () => (calls += 1));
    const cancel = guarded.wakeAt(clock.now() + 3, () => (calls += 1));
    cancel();
    await clock.advance(10);
    expect(errors).toEqual([full]);
    expect(calls).toBe(1);
  });
});
