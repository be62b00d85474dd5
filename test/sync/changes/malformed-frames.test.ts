// Frames that the encoder never writes, made byte by byte: each has one fault.
import { afterAll, describe, expect, it } from 'vitest';
import { ByteWriter } from '#main/sync/changes/byte-writer.ts';
import { encodeChangeSet, PACKING, VALUE } from '#main/sync/changes/encode.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import { SYNC_MAX_FRAME_BYTES } from '#shared/limits.ts';
import { openSharedStore, openStore } from '#test/support/open-store.ts';
import { mergeInto } from '#test/sync/changes/two-stores.ts';

const KEY = Buffer.from([1, (1 << 3) | 3, 1, 0x65]);
const TEXT = '{"title":"a"}';

interface Frame {
  readonly after?: number;
  readonly upTo?: Buffer;
  readonly last?: number;
  readonly tables?: readonly string[];
  /** The place of each column's table, and its name. */
  readonly columns?: readonly (readonly [table: number, name: string])[];
  readonly count?: number;
  readonly rows?: (rows: ByteWriter) => void;
  readonly texts?: Buffer;
  readonly end?: (all: ByteWriter) => void;
}

/** One change of one event, unless the fault says otherwise. */
function frameOf(fault: Frame): Buffer {
  const { tables = ['events'], columns = [[0, 'content']], count = 1 } = fault;
  const all = new ByteWriter();
  all.count(fault.after ?? 0);
  all.bytes(fault.upTo ?? Buffer.of(1));
  all.count(0);
  all.byte(fault.last ?? 1);
  all.count(tables.length);
  for (const table of tables) all.sized(Buffer.from(table));
  all.count(columns.length);
  for (const [table, name] of columns) {
    all.count(table);
    all.sized(Buffer.from(name));
  }
  all.count(1);
  all.sized(Buffer.alloc(16, 9));
  all.count(count);
  const rows = new ByteWriter();
  change(rows);
  fault.rows?.(rows);
  all.sized(rows.view());
  all.sized(fault.texts ?? Buffer.from(TEXT));
  fault.end?.(all);
  return Buffer.concat([Buffer.of(PACKING.plain), all.view()]);
}

function change(rows: ByteWriter, more: { head?: number; site?: number; length?: number } = {}) {
  const { head = 0, site = 0, length = TEXT.length } = more;
  rows.count(head);
  if (head % 2 === 0) rows.sized(KEY);
  rows.count(site);
  rows.count(1);
  rows.count(1);
  rows.byte(VALUE.text);
  rows.count(length);
}

const two = { count: 2, texts: Buffer.from(TEXT + TEXT) };
const TOPICS = {
  tables: ['events', 'topics'],
  columns: [
    [0, 'content'],
    [1, 'facts'],
  ],
} as const;

const FAULTS: { readonly [what: string]: Frame } = {
  'a range that ends before it begins': { after: 2 },
  'a mark of the last part that is neither yes nor no': { last: 2 },
  'bytes after its end': { end: (all) => all.byte(0) },
  'bytes after its last change': { rows: (rows) => rows.byte(0) },
  'texts that no change uses': { texts: Buffer.from(`${TEXT} `) },
  'texts that are too short': { texts: Buffer.from('{}') },
  'texts that are not UTF-8': { texts: Buffer.alloc(TEXT.length, 0xff) },
  'a column of a table that it does not declare': { columns: [[1, 'content']] },
  'a change of a column that it does not declare': {
    ...two,
    rows: (rows) => change(rows, { head: 4 }),
  },
  'a change of a site that it does not declare': {
    ...two,
    rows: (rows) => change(rows, { site: 1 }),
  },
  'a change without a key after one of another table': {
    ...two,
    ...TOPICS,
    rows: (rows) => change(rows, { head: 3 }),
  },
  'more changes than it has': { count: 2 },
  'more changes than it has bytes': { count: 100_000 },
  'a version that no number of JavaScript holds': {
    upTo: Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f]),
  },
  'an integer that is cut': {
    ...two,
    rows: (rows) => rows.bytes(Buffer.from([1, 0, 1, 1, VALUE.integer, 7, 7, 7])),
  },
  'a number without an end': { ...two, rows: (rows) => rows.bytes(Buffer.alloc(40, 0xff)) },
};

describe('a malformed frame', () => {
  // Shared, because nothing of a refused frame is written.
  const store = openSharedStore(afterAll);

  it('[CS-9] the frame that the faults are derived from is merged', () => {
    expect(mergeInto(openStore(), 'peer', frameOf({})).changes).toBe(1);
    const second = { ...two, rows: (rows: ByteWriter) => change(rows, { head: 1 }) };
    expect(mergeInto(openStore(), 'peer', frameOf(second)).changes).toBe(2);
  });

  it.each(Object.entries(FAULTS))('[CS-9] with %s is refused, with nothing written', (_, fault) => {
    const attempt = (): unknown => mergeInto(store, 'peer', frameOf(fault));
    expect(attempt).toThrow(Refused);
    expect(attempt).toThrow(expect.objectContaining({ name: 'malformed-frame' }) as Error);
    expect(store.lineages.version()).toBe(0);
    expect(store.peerCursors.get('peer')).toBe(null);
  });

  it('[CS-9] that divides a character between two texts is refused', () => {
    const base = { table: 'events', column: 'content', columnVersion: 1, causalLength: 1 };
    const site = Buffer.alloc(16, 9);
    const changes = ['"\ud83d', '\ude42"'].map((value) => ({ ...base, site, key: KEY, value }));
    const frame = encodeChangeSet({ after: 0, upTo: 1, part: 0, isLast: true, changes });
    expect(() => mergeInto(store, 'peer', frame)).toThrow('splits a character');
  });

  it('[CS-9] over the limit is refused before it is read', () => {
    const frame = Buffer.alloc(SYNC_MAX_FRAME_BYTES + 1, PACKING.plain);
    expect(() => mergeInto(store, 'peer', frame)).toThrow('a frame of more than');
  });
});
