// Refused frames: each case is one fault in an otherwise valid frame.
import { afterAll, describe, expect, it } from 'vitest';
import type { Change, ChangeSet } from '#main/sync/changes/change.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import { SYNC_MAX_CAUSAL_LENGTH, SYNC_MAX_COLUMN_VERSION } from '#shared/limits.ts';
import { openSharedStore, openStore } from '#test/support/open-store.ts';
import { mergeInto } from '#test/sync/changes/two-stores.ts';

const text = (value: string): number[] => {
  const bytes = Buffer.from(value);
  return [(1 << 3) | 3, bytes.length, ...bytes];
};

const valid: Change = {
  table: 'events',
  key: Buffer.from([1, ...text('event-1')]),
  column: 'content',
  value: '{"title":"a"}',
  columnVersion: 1,
  causalLength: 1,
  site: Buffer.alloc(16, 9),
};

function frameOf(fault: Partial<Change>, around: Partial<ChangeSet> = {}): Buffer {
  const before = { ...valid, key: Buffer.from([1, ...text('event-0')]) };
  const changes = [before, { ...valid, ...fault }];
  return encodeChangeSet({ after: 0, upTo: 1, part: 0, isLast: true, changes, ...around });
}

const keyOf = (...bytes: number[]): Partial<Change> => ({ key: Buffer.from(bytes) });
const reservation = (...bytes: number[]): Partial<Change> => ({
  table: 'reservations',
  column: '-1',
  value: null,
  key: Buffer.from(bytes),
});

const faults: { [what: string]: [Refused['name'], Partial<Change>] } = {
  'a table that does not exist': ['unknown-table', { table: 'nothing' }],
  'a local table': ['unknown-table', { table: 'settings', column: 'value' }],
  'a table of cr-sqlite': ['unknown-table', { table: 'events__crsql_clock', column: 'seq' }],
  'an inherited property name': ['unknown-table', { table: '__proto__' }],
  'a column that does not exist': ['unknown-column', { column: 'nothing' }],
  'a generated column': ['unknown-column', { column: 'status' }],
  'a column of the key': ['unknown-column', { column: 'id' }],
  'an empty key': ['bad-key', keyOf()],
  'a key without parts': ['bad-key', keyOf(0)],
  'a key with too many parts': ['bad-key', keyOf(2, ...text('a'), ...text('b'))],
  'a key with a missing part': ['bad-key', keyOf(1)],
  'a key that claims a second part': ['bad-key', keyOf(2, ...text('a'))],
  'a NULL key': ['bad-key', keyOf(1, 5)],
  'a number where text belongs': ['bad-key', keyOf(1, (1 << 3) | 1, 7)],
  'a blob where text belongs': ['bad-key', keyOf(1, (1 << 3) | 4, 1, 7)],
  'an unknown type of key': ['bad-key', keyOf(1, 7)],
  'a key length of nine bytes': ['bad-key', keyOf(1, (9 << 3) | 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 65)],
  'a key length of five bytes': ['bad-key', keyOf(1, (5 << 3) | 3, 1, 0, 0, 0, 1, 65)],
  'a truncated key length': ['bad-key', keyOf(1, (4 << 3) | 3, 1)],
  'a key length that is not canonical': ['bad-key', keyOf(1, (2 << 3) | 3, 0, 1, 65)],
  'a truncated key': ['bad-key', keyOf(1, (1 << 3) | 3, 200, 65)],
  'a key with extra bytes': ['bad-key', keyOf(1, ...text('a'), 0)],
  'a key that is not UTF-8': ['bad-key', keyOf(1, (1 << 3) | 3, 2, 0xc3, 0x28)],
  'a key with a NUL': ['bad-key', keyOf(1, ...text('a\0b'))],
  'a key of 1025 bytes': ['bad-key', keyOf(1, (2 << 3) | 3, 4, 1, ...Buffer.alloc(1025, 65))],
  'a key of 4 GiB': ['bad-key', keyOf(1, (4 << 3) | 3, 255, 255, 255, 255, 65)],
  'an integer key of nine bytes': [
    'bad-key',
    reservation(3, ...text('e'), (9 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...text('r')),
  ],
  'a truncated integer key': ['bad-key', reservation(3, ...text('e'), (8 << 3) | 1, 1)],
  'an integer key with leading zeros': [
    'bad-key',
    reservation(3, ...text('e'), (2 << 3) | 1, 0, 1, ...text('r')),
  ],
  'text where JSON belongs': ['bad-value', { value: 'no json' }],
  'two JSON values': ['bad-value', { value: '{} {}' }],
  'an empty text where JSON belongs': ['bad-value', { value: '' }],
  'JSON that is too deep for SQLite': ['bad-value', { value: '['.repeat(1001) + ']'.repeat(1001) }],
  'a number that reading would change': ['bad-value', { value: '{"n":[12345678901234567891]}' }],
  'a number that reading would make infinite': ['bad-value', { value: '1e400' }],
  'an integer where JSON belongs': ['bad-value', { value: 1n }],
  'a float where JSON belongs': ['bad-value', { value: 1.5 }],
  'a blob where JSON belongs': ['bad-value', { value: Buffer.from('{}') }],
  'null in a column that requires a value': ['bad-value', { value: null }],
  'a float where an integer belongs': [
    'bad-value',
    { table: 'workflows', column: 'consumer_sleep_until', value: 5 },
  ],
  'a text with a NUL': [
    'bad-value',
    { table: 'automation_runs', column: 'completion_artifact_ref', value: 'a\0b' },
  ],
  'a value for the row itself': ['bad-value', { column: '-1', value: '{}' }],
  'no causal length': ['bad-clock', { causalLength: 0 }],
  'a row that was never created': [
    'bad-clock',
    { column: '-1', value: null, columnVersion: 0, causalLength: 0 },
  ],
  'a causal length over the limit': [
    'bad-clock',
    {
      column: '-1',
      value: null,
      columnVersion: SYNC_MAX_CAUSAL_LENGTH + 1,
      causalLength: SYNC_MAX_CAUSAL_LENGTH + 1,
    },
  ],
  'a write count over the limit': ['bad-clock', { columnVersion: SYNC_MAX_COLUMN_VERSION + 1 }],
  'a value of a deleted row': ['bad-clock', { causalLength: 2 }],
  'a row with two different clocks': ['bad-clock', { column: '-1', value: null, columnVersion: 3 }],
  'a short site': ['bad-site', { site: Buffer.alloc(15) }],
  'no site': ['bad-site', { site: Buffer.alloc(0) }],
  'a long site': ['bad-site', { site: Buffer.alloc(17) }],
  'a deleted incident': [
    'kept-row-deleted',
    { table: 'incidents', column: '-1', value: null, columnVersion: 2, causalLength: 2 },
  ],
  'a reinserted archived mutation': [
    'kept-row-deleted',
    { table: 'mutations', column: '-1', value: null, columnVersion: 3, causalLength: 3 },
  ],
};

describe('refusals', () => {
  // Shared, because nothing of a refused frame is written.
  const store = openSharedStore(afterAll);

  it('[CS-8] the valid frame that the faults are derived from is merged', () => {
    const merging = openStore();
    expect(mergeInto(merging, 'peer', frameOf({})).changes).toBe(2);
    expect(merging.db.value('SELECT count(*) FROM events')).toBe(2);
    mergeInto(
      merging,
      'peer',
      frameOf(reservation(3, ...text('e'), (1 << 3) | 1, 200, ...text('r')), { upTo: 2 }),
    );
    expect(merging.db.value('SELECT attempt_number FROM reservations')).toBe(200);
    mergeInto(merging, 'peer', frameOf(reservation(3, ...text('e'), 1, ...text('r')), { upTo: 3 }));
    expect(merging.db.value('SELECT min(attempt_number) FROM reservations')).toBe(0);
  });

  for (const [what, [name, fault]] of Object.entries(faults)) {
    it(`[CS-8] ${what} is refused as "${name}", with nothing written`, () => {
      const attempt = (): unknown => mergeInto(store, 'peer', frameOf(fault));
      expect(attempt).toThrow(Refused);
      expect(attempt).toThrow(expect.objectContaining({ name }) as Error);
      expect(attempt).toThrow(/^The other device .* Nothing of it was saved/s);
      expect(store.lineages.version()).toBe(0);
      expect(store.peerCursors.get('peer')).toBe(null);
      expect(store.db.value('SELECT count(*) FROM events')).toBe(0);
    });
  }

  it('[CS-8] a compressed frame that inflates over the limit is refused', () => {
    const huge = frameOf({ value: JSON.stringify('a'.repeat(17 * 1024 * 1024)) });
    expect(huge.length).toBeLessThan(200_000);
    expect(() => mergeInto(store, 'peer', huge)).toThrow('a frame of more than');
  });

  it('[CS-8] a value over the limit is refused', () => {
    const large = frameOf({ value: JSON.stringify('a'.repeat(9 * 1024 * 1024)) });
    expect(() => mergeInto(store, 'peer', large)).toThrow('which is over the limit');
  });

  it('[CS-8] control characters of the peer are removed from messages', () => {
    const frame = frameOf({ table: `\u001b[2J${'x'.repeat(500)}` });
    expect(() => mergeInto(store, 'peer', frame)).toThrow(/"\?\?2Jx{56}"/);
  });
});

describe('parts of one transaction', () => {
  const part = (number: number, more: Partial<ChangeSet> = {}): Buffer =>
    frameOf({}, { part: number, isLast: false, ...more });

  it.each<[string, Buffer[], string]>([
    ['a repeated part', [part(0), part(1), part(1)], 'repeated'],
    ['an earlier part', [part(0), part(1), part(2), part(1)], 'repeated'],
    ['a repeated part as the last', [part(0), part(1), part(1, { isLast: true })], 'repeated'],
    ['a part before the first', [part(1)], 'skipped'],
    ['a part of another transaction', [part(0), part(1, { upTo: 2, isLast: true })], 'mixed'],
  ])('[CS-9] %s is refused as a gap', (_, frames, words) => {
    const store = openStore();
    const last = frames.at(-1) as Buffer;
    for (const frame of frames.slice(0, -1)) mergeInto(store, 'peer', frame);
    expect(() => mergeInto(store, 'peer', last)).toThrow(
      expect.objectContaining({ name: 'gap', message: expect.stringContaining(words) }),
    );
    expect(store.db.value('SELECT count(*) FROM events')).toBe(0);
    expect(store.peerCursors.get('peer')).toBe(null);
  });
});
