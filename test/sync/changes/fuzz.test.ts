// Fuzzing of frames: any bytes are either merged or refused with `Refused`.
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeChangeSet } from '#main/sync/changes/decode.ts';
import { encodeChangeSet, PACKING } from '#main/sync/changes/encode.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';
import type { Change, ChangeSet, Value } from '#main/sync/changes/change.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';
import { changeSetsOf, mergeInto } from '#test/sync/changes/two-stores.ts';

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true }),
  fc.string({ unit: 'grapheme' }),
  fc.json(),
  fc.uint8Array({ maxLength: 40 }),
);
const count = fc.oneof(fc.nat(5), fc.maxSafeNat());
const key = fc.oneof(
  fc.uint8Array({ maxLength: 40 }),
  fc
    .string({ minLength: 1, maxLength: 40 })
    .map((text) => Buffer.from(text))
    .map((bytes) => new Uint8Array([1, 11, bytes.length, ...bytes])),
);
const change: fc.Arbitrary<Change> = fc.record({
  table: fc.oneof(fc.constantFrom('events', 'workflows', 'reservations', 'mutations'), fc.string()),
  key,
  column: fc.oneof(fc.constantFrom('facts', 'content', 'progress', '-1', 'draft'), fc.string()),
  value,
  columnVersion: count,
  causalLength: count,
  site: fc.uint8Array({ minLength: 15, maxLength: 16 }),
});
const changeSet: fc.Arbitrary<ChangeSet> = fc.record({
  after: count,
  upTo: count,
  part: fc.nat(2),
  isLast: fc.boolean(),
  changes: fc.array(change, { maxLength: 5 }),
});

/** One mutation of a valid uncompressed frame. */
const mutation = fc.record({
  at: fc.nat(4000),
  byte: fc.nat(255),
  kind: fc.constantFrom('set', 'cut', 'insert', 'remove', 'repeat'),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer Kind> ? Kind : never;

function mutate(frame: Buffer, { at, byte, kind }: Mutation): Buffer {
  const place = at % frame.length;
  const [head, tail] = [frame.subarray(0, place), frame.subarray(place)];
  switch (kind) {
    case 'cut':
      return head;
    case 'insert':
      return Buffer.concat([head, Buffer.of(byte), tail]);
    case 'remove':
      return Buffer.concat([head, tail.subarray(1)]);
    case 'repeat':
      return Buffer.concat([head, tail, tail]);
    default:
      return Buffer.concat([head, Buffer.of(byte), tail.subarray(1)]);
  }
}

describe('fuzzed frames', () => {
  it('[CS-9] arbitrary bytes are refused with every compression', () => {
    const schema = readSyncSchema(openStore().db);
    const packing = fc.constantFrom([], [PACKING.plain], [PACKING.deflated]);
    const run = fc.property(fc.uint8Array({ maxLength: 600 }), packing, (bytes, head) => {
      const frame = Buffer.concat([Buffer.from(head), bytes]);
      expect(() => decodeChangeSet(frame, schema)).toThrow(Refused);
    });
    fc.assert(run, { numRuns: 5000 });
  });

  it('[CS-9] any encoded change set is refused or decoded unchanged', () => {
    const store = openStore();
    const schema = readSyncSchema(store.db);
    const run = fc.property(changeSet, (set) => {
      const frame = encodeChangeSet(set);
      try {
        const decoded = decodeChangeSet(frame, schema);
        expect(decoded.changes.map((one) => [one.table, one.column, one.value])).toEqual(
          set.changes.map((one) => [one.table, one.column, toBuffer(one.value)]),
        );
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
      isMerged(() => mergeInto(store, 'peer', frame));
    });
    fc.assert(run, { numRuns: 2000 });
    expect(store.db.pragma('integrity_check')).toBe('ok');
  });

  it('[CS-9] mutated frames never crash the process and write nothing when refused', () => {
    const valid = plainFrame();
    expect(mergeInto(openStore('device-c'), 'peer', valid).changes).toBeGreaterThan(10);
    const store = openStore('device-b');
    let taken = 0;
    const run = fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
      const before = writtenTo(store);
      const frame = mutations.reduce(mutate, valid);
      if (isMerged(() => mergeInto(store, 'peer', frame))) taken += 1;
      else expect(writtenTo(store)).toEqual(before);
      store.db.run('DELETE FROM peer_cursors');
    });
    fc.assert(run, { numRuns: 8000 });
    // Some mutants are valid, so both outcomes are tested.
    expect(taken).toBeGreaterThan(50);
    expect(store.db.pragma('integrity_check')).toBe('ok');
  }, 180_000);
});

/** Several tables, not compressed: inflating would fail for nearly every mutant. */
function plainFrame(): Buffer {
  const from = openStore('device-a');
  addWorkflow(from, 'w', 'code');
  from.handlerState.set('w', 'h', { n: 1 }, 'run');
  const topic = from.topics.ensure('w', 'mail');
  from.events.publish({ topic, messageId: 'm', title: 'Übung', payload: { n: 1 } });
  from.events.reserve([from.db.value<string>('SELECT id FROM events') ?? ''], 'run-1');
  const [set] = changeSetsOf(from);
  const deflated = encodeChangeSet(set as ChangeSet);
  return Buffer.concat([Buffer.of(PACKING.plain), inflateRawSync(deflated.subarray(1))]);
}

/** Every committed merge changes one of these. */
function writtenTo(store: OpenStore): unknown[] {
  const staged = store.db.value('SELECT count(*) FROM staged_changes');
  return [store.lineages.version(), store.peerCursors.get('peer'), staged];
}

/** False when it was refused. */
function isMerged(merge: () => unknown): boolean {
  try {
    merge();
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

function toBuffer(one: Value): Value {
  return one instanceof Uint8Array ? Buffer.from(one) : one;
}
