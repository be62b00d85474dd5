// The gate between the commit that puts an effect in flight and its first byte.
import { describe, expect, test } from 'vitest';
import { createSendGate } from '#main/engine/runs/send-gate.ts';
import { SEND_WITHIN_MS } from '#shared/limits.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

describe('[DO-6] the gate', () => {
  test('stays closed once it has closed', () => {
    const clock = createVirtualClock();
    const maySend = createSendGate(clock, () => true);
    clock.suspend(SEND_WITHIN_MS + 1);
    const refusal = maySend();
    expect(refusal).toMatchObject({ errorType: 'internal', startsOver: true });
    expect(maySend()).toBe(refusal);
  });

  test('counts from pass to pass, so a slow dialogue that passes every second continues', () => {
    const clock = createVirtualClock();
    const maySend = createSendGate(clock, () => true);
    for (let second = 0; second < 600; second += 1) {
      clock.suspend(1000);
      expect(maySend()).toBeNull();
    }
    clock.suspend(SEND_WITHIN_MS + 1);
    expect(maySend()?.error).toContain('Nothing was sent.');
  });

  test('uses both the wall clock and the monotonic clock', () => {
    let monotonic = 0;
    const virtual = createVirtualClock();
    const clock = { ...virtual, monotonic: () => monotonic };
    // A sleep on Linux: the monotonic clock stood still.
    const asleep = createSendGate(clock, () => true);
    virtual.suspend(SEND_WITHIN_MS + 1);
    expect(asleep()).not.toBeNull();
    // Stopped, and the wall clock was set back to where it was.
    const stopped = createSendGate(clock, () => true);
    monotonic += SEND_WITHIN_MS + 1;
    expect(stopped()).not.toBeNull();
  });

  test('closes when the claim is lost or the database can’t be read', () => {
    const clock = createVirtualClock();
    expect(createSendGate(clock, () => false)()?.error).toContain('Nothing was sent.');
    const closed = createSendGate(clock, () => {
      throw new Error('the database is closed');
    });
    expect(closed()).toMatchObject({ startsOver: true });
  });
});
