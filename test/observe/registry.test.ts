// Prometheus text, and the series of the last hour.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Registry } from '#main/observe/registry.ts';
import { Series } from '#main/observe/series.ts';
import { MAX_LABEL_SETS, SERIES_POINTS, SERIES_STEP_MS } from '#shared/limits.ts';
import { parsePrometheus } from '#test/support/parse-prometheus.ts';

describe('Prometheus text', () => {
  test('[MX-1] has counters, gauges and histograms in the exact format', () => {
    const registry = new Registry();
    const counter = registry.counter('runs_total', 'Runs.');
    counter.add({ end: 'ok' });
    counter.add({ end: 'ok' }, 2);
    counter.add({ end: 'bad' });
    registry.gauge('depth', 'Depth.', () => 7);
    const histogram = registry.histogram('seconds', 'Times.', [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 20]) histogram.observe({ stage: 'x' }, value);
    expect(registry.text()).toBe(
      [
        '# HELP runs_total Runs.',
        '# TYPE runs_total counter',
        'runs_total{end="ok"} 3',
        'runs_total{end="bad"} 1',
        '# HELP depth Depth.',
        '# TYPE depth gauge',
        'depth 7',
        '# HELP seconds Times.',
        '# TYPE seconds histogram',
        'seconds_bucket{stage="x",le="0.1"} 2',
        'seconds_bucket{stage="x",le="1"} 3',
        'seconds_bucket{stage="x",le="+Inf"} 4',
        'seconds_sum{stage="x"} 20.65',
        'seconds_count{stage="x"} 4',
        '',
      ].join('\n'),
    );
  });

  test('[MX-1] can be parsed for any label text and value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.double({ min: 0 }))),
        (samples) => {
          const registry = new Registry();
          const counter = registry.counter('c', 'help with \\ and\nnew line');
          const histogram = registry.histogram('h', 'H.', [1, 10]);
          for (const [label, value] of samples) {
            counter.add({ label });
            histogram.observe({ label }, value);
          }
          const { samples: read } = parsePrometheus(registry.text());
          for (const [label] of samples) {
            const text = label
              .replaceAll('\\', '\\\\')
              .replaceAll('"', '\\"')
              .replaceAll('\n', '\\n');
            const times = samples.filter(([other]) => other === label).length;
            expect(read.get(`c{label="${text}"}`)).toBe(times);
            expect(read.get(`h_bucket{label="${text}",le="+Inf"}`)).toBe(times);
          }
        },
      ),
    );
  });

  test('[MX-4] counts label sets beyond the limit as "other"', () => {
    const registry = new Registry();
    const counter = registry.counter('c', 'C.');
    for (let n = 0; n < 10 * MAX_LABEL_SETS; n += 1) counter.add({ id: `${n}` });
    counter.add({ id: '0' });
    const { samples } = parsePrometheus(registry.text());
    expect(samples.size).toBe(MAX_LABEL_SETS + 1);
    expect(samples.get('c{id="other"}')).toBe(9 * MAX_LABEL_SETS);
    expect(samples.get('c{id="0"}')).toBe(2);
  });

  test('[MX-1] a duplicate or invalid metric name throws', () => {
    const registry = new Registry();
    registry.counter('c', 'C.');
    expect(() => registry.counter('c', 'C.')).toThrow('already registered');
    expect(() => registry.counter('a b', 'C.')).toThrow('Invalid metric name');
  });
});

describe('the series of the last hour', () => {
  const start = 1_800_000_000_000;

  test('[MX-5] has steps of ten seconds with the maximum queue values', () => {
    const series = new Series();
    series.add(start + 1, 10, true);
    series.add(start + 9999, 20, false);
    series.queue(start + 5000, 3, 100);
    series.queue(start + 6000, 1, 400);
    series.add(start + 10_000, 5, true);
    expect(series.points(start + 10_000)).toMatchObject([
      { at: start, done: 2, failed: 1, queueDepth: 3, oldestAgeMs: 400 },
      { at: start + 10_000, done: 1, failed: 0, queueDepth: 0, oldestAgeMs: 0 },
    ]);
  });

  test('[MX-5] gives p50 and p95 at most 25 % above and never below the exact value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 60_000, noNaN: true }), { minLength: 1 }),
        (all) => {
          const series = new Series();
          for (const ms of all) series.add(start, ms, true);
          const [point] = series.points(start);
          const sorted = all.toSorted((a, b) => a - b);
          for (const [part, reported] of [
            [0.5, point?.p50Ms],
            [0.95, point?.p95Ms],
          ] as const) {
            const exact = sorted[Math.ceil(part * sorted.length) - 1] as number;
            expect(reported).toBeGreaterThanOrEqual(exact - 0.01);
            expect(reported).toBeLessThanOrEqual(exact * 1.25 + 0.01);
          }
        },
      ),
    );
  });

  test('[MX-5] has no step older than an hour, and null latencies for a step without runs', () => {
    const series = new Series();
    for (let step = 0; step < 2 * SERIES_POINTS; step += 1) {
      series.queue(start + step * SERIES_STEP_MS, 1, 1);
    }
    const now = start + 2 * SERIES_POINTS * SERIES_STEP_MS;
    const points = series.points(now);
    expect(points.length).toBe(SERIES_POINTS - 1);
    expect(points[0]).toMatchObject({ p50Ms: null, p95Ms: null, done: 0 });
    expect(points[0]?.at).toBeGreaterThan(now - SERIES_POINTS * SERIES_STEP_MS);
    expect(series.points(now + 3_600_000)).toEqual([]);
  });

  test('[MX-5] adds to the newest step if the clock is set back', () => {
    const series = new Series();
    series.add(start, 1, true);
    series.add(start - 60_000, 1, true);
    expect(series.points(start)).toMatchObject([{ at: start, done: 2 }]);
  });

  test('[MX-5] counts a value above the last bound', () => {
    const series = new Series();
    series.add(start, 1e12, true);
    expect(series.points(start)[0]?.p95Ms).toBeGreaterThan(60_000);
  });
});
