import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { canonicalJson, type Json } from '#shared/json.ts';
import * as ids from '#shared/ids.ts';
import { startRequest } from '#shared/start-request.ts';
import { createUlidSource } from '#shared/ulid.ts';

describe('deterministic ids', () => {
  it('[ID-1] the same parts give the same id, equal to a stored value', () => {
    // A stored value: changing the hash would split rows that devices already share.
    expect(ids.topicId('w', 'mail')).toBe('f63b27b415105300dc32f2a4215565a5');
    expect(ids.topicId('w', 'mail')).toBe(ids.topicId('w', 'mail'));
  });

  it('[ID-1] ids of different kinds differ for equal parts', () => {
    const made = [
      ids.topicId('a', 'b'),
      ids.eventId('a', 'b'),
      ids.handlerStateId('a', 'b'),
      ids.scriptId('a', 'b'),
      ids.scriptRunId('a', 'main', 'b'),
      ids.mutationId('a'),
      ids.workflowId('a'),
    ];
    expect(new Set(made).size).toBe(made.length);
  });

  it.prop([fc.string(), fc.string(), fc.string(), fc.string()])(
    '[ID-1] different parts give different ids',
    (a, b, c, d) => {
      fc.pre(a !== c || b !== d);
      expect(ids.eventId(a, b)).not.toBe(ids.eventId(c, d));
    },
  );

  it('[ID-1] parts that are equal when joined give different ids', () => {
    expect(ids.eventId('ab', 'c')).not.toBe(ids.eventId('a', 'bc'));
    expect(ids.eventId('a","b', 'c')).not.toBe(ids.eventId('a', 'b","c'));
  });
});

describe('ULIDs', () => {
  it('[ID-2] they increase within a millisecond and after the clock steps back', () => {
    const times = [1000, 1000, 1000, 900, 2000, 1500];
    const ulid = createUlidSource(
      () => times.shift() ?? 2000,
      (count) => new Uint8Array(count).fill(31),
    );
    const made = Array.from({ length: 8 }, ulid);
    // All random digits have their highest value, so every increment overflows.
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(8);
    expect(made[0]).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });
});

describe('canonical JSON', () => {
  it.prop([fc.dictionary(fc.string(), fc.jsonValue())])(
    '[ID-3] the order of keys does not matter, and the value is preserved',
    (object) => {
      const value = JSON.parse(JSON.stringify(object)) as { [key: string]: Json };
      const reversed = Object.fromEntries(Object.entries(value).toReversed());
      expect(canonicalJson(reversed)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(value);
    },
  );
});

describe('start requests', () => {
  it('[ID-4] each kind of cause has its own id format', () => {
    expect(startRequest.schedule('poll', 1000)).toBe('schedule:poll:1000');
    expect(startRequest.automation('r1')).toBe('run:r1:session');
    const all = [
      startRequest.manual('x'),
      startRequest.schedule('x', 1),
      startRequest.event('x', 1),
      startRequest.retry('x'),
      startRequest.automation('x'),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(startRequest.event('x', 1)).not.toBe(startRequest.event('x', 2));
  });
});
