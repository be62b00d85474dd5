import { describe, expect, it } from 'vitest';
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
