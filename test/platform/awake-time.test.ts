// Awake time: which time counts, and which events end a span.
import { describe, expect, test } from 'vitest';
import { AwakeTime, TICK_MS } from '#main/platform/awake-time.ts';
import { createVirtualClock, type VirtualClock } from '#test/support/virtual-clock.ts';

interface Counting {
  readonly awake: AwakeTime;
  readonly clock: VirtualClock;
  /** Timers that are set. */
  timers(): number;
  release(): void;
}

function counting(monotonic?: () => number): Counting {
  const virtual = createVirtualClock();
  let timers = 0;
  let isNeeded = true;
  let spans = 0;
  const clock: VirtualClock = {
    ...virtual,
    ...(monotonic && { monotonic }),
    wakeAt: (time, wake) => {
      timers += 1;
      return virtual.wakeAt(time, () => {
        timers -= 1;
        wake();
      });
    },
  };
  const awake = new AwakeTime({
    clock,
    newSpan: () => `span ${(spans += 1)}`,
    isNeeded: () => isNeeded,
  });
  return { awake, clock, timers: () => timers, release: () => (isNeeded = false) };
}

describe('awake time', () => {
  test('[DO-3] passes with the clock while it ticks', async () => {
    const { awake, clock } = counting();
    expect(awake.now()).toEqual({ span: 'span 1', ms: 0 });
    await clock.advance(90_300);
    expect(awake.now()).toEqual({ span: 'span 1', ms: 90_300 });
  });

  test('[DO-3] sleep of any length starts a new span, also if nothing has ticked since', async () => {
    const { awake, clock } = counting();
    awake.now();
    await clock.advance(30_000);
    clock.suspend(6000);
    expect(awake.now()).toEqual({ span: 'span 2', ms: 0 });
    await clock.advance(10_000);
    // The tick that was due during the sleep came at once.
    expect(awake.now()).toMatchObject({ span: 'span 2' });
    clock.suspend(10 * 60 * 60_000);
    await clock.advance(0);
    expect(awake.now()).toEqual({ span: 'span 3', ms: 0 });
  });

  test('[DO-3] a short stall adds no more than a tick', async () => {
    const { awake, clock } = counting();
    awake.now();
    clock.suspend(4000);
    expect(awake.now()).toEqual({ span: 'span 1', ms: TICK_MS });
  });

  test('[DO-3] a wall clock that is set, or a monotonic clock that stood still, starts a new span', async () => {
    let offset = 0;
    const under = counting(() => under.clock.now() + offset);
    const { awake, clock } = under;
    awake.now();
    await clock.advance(10_000);
    // Set forward by an hour, or a sleep on Linux: the monotonic clock doesn't show it.
    offset -= 60 * 60_000;
    clock.suspend(60 * 60_000);
    expect(awake.now()).toEqual({ span: 'span 2', ms: 0 });
    await clock.advance(10_000);
    expect(awake.now()).toMatchObject({ span: 'span 2' });
    // Set back by an hour.
    offset += 60 * 60_000;
    clock.suspend(-60 * 60_000);
    expect(awake.now()).toMatchObject({ span: 'span 3', ms: 0 });
  });

  test('[DO-3] has a timer only while an outcome is in doubt', async () => {
    const { awake, clock, timers, release } = counting();
    expect(timers()).toBe(0);
    awake.now();
    awake.now();
    await clock.advance(5000);
    expect(timers()).toBe(1);
    release();
    await clock.advance(TICK_MS);
    expect(timers()).toBe(0);
    // Uncounted time belongs to no span.
    await clock.advance(60_000);
    expect(awake.now()).toEqual({ span: 'span 2', ms: 0 });
  });
});
