// Rate limit of hooks.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RateLimiter } from '#main/inputs/rate-limit.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

describe('RateLimiter', () => {
  test('[SG-9] a burst passes, then requests pass at the configured rate', async () => {
    const clock = createVirtualClock();
    const limiter = new RateLimiter(clock, { burst: 3, perSecond: 2 });
    const taken = (): boolean => limiter.take('h').ok;
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, true, false]);
    await clock.advance(499);
    expect(taken()).toBe(false);
    await clock.advance(1);
    expect([taken(), taken()]).toEqual([true, false]);
    await clock.advance(3_600_000);
    expect([taken(), taken(), taken(), taken()]).toEqual([true, true, true, false]);
  });

  test('[SG-9] a refusal returns whole seconds after which a request passes', async () => {
    const clock = createVirtualClock();
    const limiter = new RateLimiter(clock, { burst: 1, perSecond: 0.1 });
    limiter.take('h');
    expect(limiter.take('h')).toEqual({ ok: false, retryAfterS: 10 });
    await clock.advance(1001);
    expect(limiter.take('h')).toEqual({ ok: false, retryAfterS: 9 });
    await clock.advance(9000);
    expect(limiter.take('h')).toEqual({ ok: true });
    const fast = new RateLimiter(clock, { burst: 1, perSecond: 1000 });
    fast.take('h');
    expect(fast.take('h')).toEqual({ ok: false, retryAfterS: 1 });
  });

  test('[SG-9] each hook has its own limit', () => {
    const limiter = new RateLimiter(createVirtualClock(), { burst: 1, perSecond: 1 });
    expect(limiter.take('a').ok).toBe(true);
    expect(limiter.take('a').ok).toBe(false);
    expect(limiter.take('b').ok).toBe(true);
  });

  test('[SG-9] setting the clock back adds no tokens', () => {
    let now = 10_000;
    const limiter = new RateLimiter({ now: () => now }, { burst: 1, perSecond: 1 });
    limiter.take('h');
    now = 0;
    expect(limiter.take('h').ok).toBe(false);
    now = 1000;
    expect(limiter.take('h').ok).toBe(true);
  });

  test('[SG-10] the number of tracked hooks is bounded, and the least recently used is evicted', () => {
    const limiter = new RateLimiter(createVirtualClock(), { burst: 1, perSecond: 1, maxHooks: 3 });
    for (const hook of ['a', 'b', 'c', 'a', 'd']) limiter.take(hook);
    expect(limiter.size).toBe(3);
    expect(limiter.take('a').ok).toBe(false);
    expect(limiter.take('b').ok).toBe(true);
    for (let hook = 0; hook < 1000; hook += 1) limiter.take(`hook ${hook}`);
    expect(limiter.size).toBe(3);
  });

  test('[SG-9] the number of passed requests never exceeds burst plus rate × time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2000), { maxLength: 200 }), (steps) => {
        let now = 0;
        let passed = 0;
        const limiter = new RateLimiter({ now: () => now }, { burst: 5, perSecond: 3 });
        for (const step of steps) {
          now += step;
          if (limiter.take('h').ok) passed += 1;
          expect(passed).toBeLessThanOrEqual(5 + (now / 1000) * 3 + 1e-6);
        }
      }),
    );
  });
});
