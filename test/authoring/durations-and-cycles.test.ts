import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCycles } from '#shared/authoring/cycles.ts';
import { MIN_INTERVAL_MS, parseDuration, readDuration } from '#shared/authoring/duration.ts';
import { workflow } from '#shared/authoring/workflow.ts';

describe('durations', () => {
  it.each([
    ['10s', 10_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
  ])('[AU-3] %s is %i ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it('[AU-3] other texts are refused', () => {
    const others = [
      '',
      '5',
      'm',
      '9s',
      '0m',
      '-5m',
      '1.5h',
      '5 m',
      '5M',
      '5ms',
      '367d',
      '1e9s',
      ' 5m',
    ];
    for (const text of others) {
      expect(readDuration(text), text).toBeUndefined();
      expect(() => parseDuration(text)).toThrow('is not a duration');
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = readDuration(text);
        return ms === undefined || ms >= MIN_INTERVAL_MS;
      }),
    );
  });
});

describe('cycles', () => {
  const topics = ['a', 'b', 'c', 'd', 'e'];
  const consumer = fc.record({
    subscribes: fc.subarray(topics, { minLength: 1 }),
    publishes: fc.subarray(topics),
  });

  it('[AU-4] are found if and only if an event can lead back to its topic', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), consumer, { maxKeys: 5 }), (consumers) => {
        const leads = (from: string, to: string): boolean =>
          Object.values(consumers).some(
            ({ subscribes, publishes }) => subscribes.includes(from) && publishes.includes(to),
          );
        const cycles = findCycles(topics, consumers);
        for (const cycle of cycles) {
          cycle.forEach((topic, index) =>
            expect(leads(topic, cycle[(index + 1) % cycle.length] ?? '')).toBe(true),
          );
        }
        // Transitive closure by Warshall's algorithm.
        const reach = topics.map((from) => topics.map((to) => leads(from, to)));
        for (const [k] of topics.entries()) {
          for (const row of reach) {
            if (row[k]) topics.forEach((_, to) => (row[to] ||= reach[k]?.[to] ?? false));
          }
        }
        const hasAny = topics.some((_, index) => reach[index]?.[index]);
        expect(cycles.length > 0).toBe(hasAny);
      }),
    );
  });

  it('[AU-4] are listed once, starting with their first topic', () => {
    const consumers = {
      x: { subscribes: ['b'], publishes: ['c'] },
      y: { subscribes: ['c'], publishes: ['b', 'd'] },
      z: { subscribes: ['d'], publishes: ['d'] },
    };
    expect(findCycles(topics, consumers)).toEqual([['b', 'c'], ['d']]);
  });
});

describe('workflow()', () => {
  it('[AU-2] returns its argument and accepts objects only', () => {
    const definition = { name: 'a', topics: [] };
    expect(workflow(definition)).toBe(definition);
    for (const wrong of [null, undefined, 5, 'x', []]) {
      expect(() => workflow(wrong as never)).toThrow('workflow() takes one object');
    }
  });
});
