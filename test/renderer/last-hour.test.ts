import { describe, expect, test } from 'vitest';
import type { MetricsPoint } from '#shared/api/metrics.ts';
import { lastHour, roundUp } from '#renderer/metrics/last-hour.ts';

const MINUTE = 60_000;
const NOON = 1_700_000_040_000 - (1_700_000_040_000 % MINUTE);

const step = (at: number, more: Partial<MetricsPoint> = {}): MetricsPoint => ({
  at,
  done: 0,
  failed: 0,
  p50Ms: null,
  p95Ms: null,
  queueDepth: 0,
  oldestAgeMs: 0,
  ...more,
});

describe('the last hour by minute', () => {
  test('[MP-3] counts are summed per minute; quantiles, depth and age take the maximum', () => {
    const minutes = lastHour({
      at: NOON + 35_000,
      since: 0,
      runs: [
        step(NOON - MINUTE, { done: 9 }),
        step(NOON, { done: 2, failed: 1, p50Ms: 5, p95Ms: 80, queueDepth: 7, oldestAgeMs: 10 }),
        step(NOON + 10_000),
        step(NOON + 20_000, { done: 3, p50Ms: 9, p95Ms: 20, queueDepth: 2, oldestAgeMs: 400 }),
      ],
    });
    expect(minutes).toHaveLength(60);
    expect(minutes.at(-2)).toMatchObject({ at: NOON - MINUTE, done: 9, p50Ms: null });
    expect(minutes.at(-1)).toEqual({
      at: NOON,
      isKnown: true,
      done: 5,
      failed: 1,
      p50Ms: 9,
      p95Ms: 80,
      queueDepth: 7,
      oldestAgeMs: 400,
    });
  });

  test('[MP-3] minutes before the host started are unknown, not empty', () => {
    const minutes = lastHour({ at: NOON, since: NOON - 90_000, runs: [step(NOON - MINUTE)] });
    expect(minutes.slice(-4).map(({ isKnown }) => isKnown)).toEqual([false, true, true, true]);
    expect(minutes.slice(-3).map(({ queueDepth }) => queueDepth)).toEqual([null, 0, null]);
  });

  test.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [7, 10],
    [10, 10],
    [165, 200],
    [0.3, 0.5],
  ])('an axis for %d ends at %d', (most, top) => expect(roundUp(most)).toBeCloseTo(top));
});
