import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { canonicalJson, type Json } from '#shared/json.ts';
import * as ids from '#shared/ids.ts';
import { startRequest } from '#shared/start-request.ts';
import { createUlidSource } from '#shared/ulid.ts';

const RESERVED = [
  { eventId: 'e1', attempt: 1 },
  { eventId: 'e2', attempt: 1 },
];

/** Each kind of id: its parts, and a stored value. Another hash would split rows that devices share. */
const KINDS: readonly {
  readonly kind: string;
  readonly id: (...parts: string[]) => string;
  readonly parts: readonly string[];
  readonly stored: string;
}[] = [
  {
    kind: 'workflow',
    id: ids.workflowId,
    parts: ['r'],
    stored: '859bf54804a147ec2aeaeaa61cf75a34',
  },
  {
    kind: 'topic',
    id: ids.topicId,
    parts: ['w', 'mail'],
    stored: 'f63b27b415105300dc32f2a4215565a5',
  },
  { kind: 'event', id: ids.eventId, parts: ['t', 'm'], stored: 'afb62b12a2e605b2361b40180396c10e' },
  {
    kind: 'effect of a run',
    id: ids.mutationId,
    parts: ['r'],
    stored: '134badfdc63ca9f08cc0b6fc67879149',
  },
  {
    kind: 'effect',
    id: (workflow = '', handler = '', eventId = '', attempt = '') =>
      ids.effectId(workflow, handler, [{ eventId, attempt: Number(attempt) }]),
    parts: ['w', 'post', 'e', '1'],
    stored: 'e6a7f8385da96e73d54e1a0ca3867775',
  },
  {
    kind: 'state of a handler',
    id: ids.handlerStateId,
    parts: ['w', 'post'],
    stored: 'e9d66f2dba930a05cb22e5c0a55edc7a',
  },
  {
    kind: 'resolution',
    id: ids.resolutionId,
    parts: ['r'],
    stored: '89447205e926a34a2423c9243feb3869',
  },
  {
    kind: 'incident',
    id: ids.incidentId,
    parts: ['double', 'w', 'm'],
    stored: '20c7a7a610a43ff883ae4cfb54daa9f4',
  },
  { kind: 'intent', id: ids.intentId, parts: ['r'], stored: '890dc62fa14a51d0e759a0b2030a9923' },
  {
    kind: 'version',
    id: ids.scriptId,
    parts: ['w', 'sha'],
    stored: '89e76fdc56253b5a1bb9fe505761c9e5',
  },
  {
    kind: 'session',
    id: (workflow = '', lane = '', request = '') =>
      ids.scriptRunId(workflow, lane as 'main' | 'draft', request),
    parts: ['w', 'main', 'manual:1'],
    stored: '20052f06335359745ba830a4a6063877',
  },
  {
    kind: 'input',
    id: ids.inputId,
    parts: ['w', 'hook', 'k'],
    stored: '71301b38d2b4a512f6238bb801c48544',
  },
  {
    kind: 'automation run',
    id: ids.automationRunId,
    parts: ['i'],
    stored: '77f123bf32123004613cf81d1f3b62e7',
  },
  {
    kind: 'completion',
    id: ids.completionId,
    parts: ['r', 'c'],
    stored: 'b8f0225d23e3107e0d285d4fae2363dc',
  },
];

describe('deterministic ids', () => {
  it.each(KINDS)(
    '[ID-1] the id of a $kind is the stored hash of its parts',
    ({ id, parts, stored }) => {
      expect(id(...parts)).toBe(stored);
    },
  );

  it.each(KINDS)('[ID-1] each part of a $kind changes its id', ({ id, parts }) => {
    const changed = parts.map((part, at) =>
      id(...parts.with(at, part === '1' ? '2' : part === 'main' ? 'draft' : `${part}x`)),
    );
    expect(new Set([id(...parts), ...changed]).size).toBe(parts.length + 1);
  });

  it('[ID-1] ids of different kinds differ for equal parts', () => {
    const made = KINDS.map(({ id }) => id('a', 'b', 'c', '1'));
    expect(new Set(made).size).toBe(made.length);
  });

  it('[ID-1] the id of an effect does not depend on the order of its events, but on each of them', () => {
    const effect = (reserved: typeof RESERVED) => ids.effectId('w', 'post', reserved);
    expect(effect(RESERVED)).toBe(effect(RESERVED.toReversed()));
    expect(effect(RESERVED)).not.toBe(effect(RESERVED.slice(1)));
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
      startRequest.wake('x', 1),
      startRequest.continue('x'),
      startRequest.check('x'),
      startRequest.resend('x'),
      startRequest.validate('x', 'y'),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(startRequest.event('x', 1)).not.toBe(startRequest.event('x', 2));
    expect(startRequest.wake('x', 1)).not.toBe(startRequest.wake('x', 2));
    // Each device checks a changed file on its own.
    expect(startRequest.validate('x', 'y')).not.toBe(startRequest.validate('z', 'y'));
    expect(startRequest.validate('x', 'y')).not.toBe(startRequest.validate('x', 'z'));
  });
});

it('[IG-2] the id of an input depends on its workflow, its hook and its key', () => {
  const made = [
    ids.inputId('w', 'h', 'k'),
    ids.inputId('x', 'h', 'k'),
    ids.inputId('w', 'i', 'k'),
    ids.inputId('w', 'h', 'l'),
    ids.inputId('w', 'hk', ''),
  ];
  expect(new Set(made).size).toBe(made.length);
  expect(ids.inputId('w', 'h', 'k')).toBe(made[0]);
});

it('[AR-5] the id of a completion depends on its run and its cause', () => {
  const made = [ids.completionId('r', 'a'), ids.completionId('r', 'b'), ids.completionId('s', 'a')];
  expect(new Set(made).size).toBe(made.length);
});
