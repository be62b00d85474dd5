import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '#main/platform/system.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

describe('the virtual clock', () => {
  it('[CK-1] wakes sleepers in order and never early, also those that sleep again', async () => {
    const clock = createVirtualClock(0);
    const woken: string[] = [];
    void clock.sleep(30).then(() => woken.push(`c@${clock.now()}`));
    void clock.sleep(10).then(async () => {
      woken.push(`a@${clock.now()}`);
      await clock.sleep(5);
      woken.push(`b@${clock.now()}`);
    });
    await clock.advance(9);
    expect(woken).toEqual([]);
    await clock.advance(20);
    expect(woken).toEqual(['a@10', 'b@15']);
    await clock.advance(1);
    expect(woken).toEqual(['a@10', 'b@15', 'c@30']);
    expect(clock.now()).toBe(30);
  });
});

describe('the system clock', () => {
  it('[CK-2] a timer ends after its length when the clock is set back, and within a minute when it jumps ahead', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let woken = 0;
    const wakeIn = (ms: number): (() => void) =>
      systemClock.wakeAt(systemClock.now() + ms, () => (woken += 1));
    wakeIn(150_000);
    vi.advanceTimersByTime(1000);
    vi.setSystemTime(Date.now() - 86_400_000);
    vi.advanceTimersByTime(148_990);
    expect(woken, 'before its length is over').toBe(0);
    vi.advanceTimersByTime(20);
    expect(woken, 'set back').toBe(1);
    wakeIn(7_200_000);
    vi.setSystemTime(Date.now() + 86_400_000);
    vi.advanceTimersByTime(60_000);
    expect(woken, 'jumped ahead').toBe(2);
    wakeIn(5000)();
    vi.advanceTimersByTime(10_000);
    expect(woken, 'canceled').toBe(2);
  });
});
