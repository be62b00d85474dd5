import { describe, expect, it } from 'vitest';
import type { ChangeSet } from '#main/sync/changes/change.ts';
import { decodeChangeSet } from '#main/sync/changes/decode.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';
import type { Changes } from '#main/store/sqlite/change-log.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';
import { runEvent } from '#test/support/run-event.ts';
import { changeSetsOf, framesOf, mergeInto, pull } from '#test/sync/changes/two-stores.ts';

function publish(store: OpenStore, count: number, payload: string | number = 'x'): void {
  const topic = store.topics.ensure('w', 'mail');
  for (let n = 0; n < count; n += 1) {
    store.events.publish({ topic, messageId: `m${n}`, title: `Mail ${n}`, payload });
  }
}

/** All in one transaction. */
function publishAtOnce(store: OpenStore, count: number, payload = 'x'): void {
  store.db.write(() => publish(store, count, payload));
}

const versionsOf = (store: OpenStore): number[] =>
  store.db
    .all<{ v: number }>('SELECT DISTINCT db_version AS v FROM crsql_changes ORDER BY 1')
    .map(({ v }) => v);

describe('changesets', () => {
  it('[CS-1] after a merge the other device has the same rows, and a second merge changes nothing', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    addWorkflow(one, 'w', 'code');
    publish(one, 50);
    one.runState.append(runEvent({ stepId: 'ümläut 🙂', payload: { text: '\u0000 🙂' } }));
    expect(pull(one, other)).toBeGreaterThan(150);
    expect(dumpRows(other.db)).toEqual(dumpRows(one.db));
    expect(pull(one, other)).toBe(0);
  });

  it('[CS-2] every frame ends at a committed version and starts where the last one ended', () => {
    const one = openStore('device-a');
    for (let n = 0; n < 20; n += 1) one.db.write(() => publish(one, n + 1));
    const written = new Set(versionsOf(one));
    const sets = changeSetsOf(one, 0, { frameChanges: 7 });
    expect(sets.length).toBeGreaterThan(5);
    let at = 0;
    for (const set of sets) {
      expect(set.after).toBe(at);
      expect(written.has(set.upTo)).toBe(true);
      if (set.isLast) at = set.upTo;
    }
    expect(at).toBe(Math.max(...written));
  });

  it('[CS-3] a transaction larger than a frame is sent in parts and merged in one transaction', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publishAtOnce(one, 100);
    const sets = changeSetsOf(one, 0, { frameChanges: 30 });
    expect(sets.length).toBeGreaterThanOrEqual(10);
    expect(sets.map(({ part }) => part)).toEqual(sets.map((_, index) => index));
    const events = 'SELECT count(*) FROM events';
    for (const set of sets.slice(0, -1)) {
      mergeInto(other, 'device-a', encodeChangeSet(set));
      expect(other.db.value(events)).toBe(0);
      expect(other.peerCursors.get('device-a')).toBe(null);
    }
    mergeInto(other, 'device-a', encodeChangeSet(sets.at(-1) as ChangeSet));
    expect(other.db.value(events)).toBe(100);
    expect(versionsOf(other)).toHaveLength(1);
    expect(other.peerCursors.get('device-a')?.version).toBe(sets[0]?.upTo);
    expect(other.db.value('SELECT count(*) FROM staged_changes')).toBe(0);
    expect(dumpRows(other.db)).toEqual(dumpRows(one.db));
  });

  it('[CS-3] a skipped or repeated part is refused; sending all parts again succeeds', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publishAtOnce(one, 100);
    const frames = framesOf(one, 0, { frameChanges: 30 });
    mergeInto(other, 'device-a', frames[0] as Buffer);
    mergeInto(other, 'device-a', frames[1] as Buffer);
    expect(() => mergeInto(other, 'device-a', frames[3] as Buffer)).toThrow(
      'skipped or repeated a part',
    );
    expect(() => mergeInto(other, 'device-a', frames[1] as Buffer)).toThrow(
      'skipped or repeated a part',
    );
    expect(other.db.value('SELECT count(*) FROM events')).toBe(0);
    for (const frame of frames) mergeInto(other, 'device-a', frame);
    expect(dumpRows(other.db)).toEqual(dumpRows(one.db));
  });

  it('[CS-3] parts of two transactions are never merged as one', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publishAtOnce(one, 100);
    const sets = changeSetsOf(one, 0, { frameChanges: 30 });
    const mixed = sets.map((set, index) => (index === 0 ? { ...set, upTo: set.upTo + 1 } : set));
    for (const set of mixed.slice(0, -1)) mergeInto(other, 'device-a', encodeChangeSet(set));
    expect(() => mergeInto(other, 'device-a', encodeChangeSet(mixed.at(-1) as ChangeSet))).toThrow(
      'mixed the parts of two transactions',
    );
    expect(other.db.value('SELECT count(*) FROM events')).toBe(0);
    expect(other.peerCursors.get('device-a')).toBe(null);
  });

  it('[CS-3] frames are limited in bytes', () => {
    const one = openStore('device-a');
    publishAtOnce(one, 20, 'y'.repeat(50_000));
    const sets = changeSetsOf(one);
    expect(sets.length).toBeGreaterThan(3);
    for (const set of sets) {
      const bytes = set.changes.reduce((sum, { value }) => sum + String(value).length, 0);
      expect(bytes).toBeLessThan(400_000);
    }
  });

  it("[CS-4] when the cursor can't be written, no row is merged", () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publish(one, 3);
    const [frame] = framesOf(one);
    other.db.exec(`CREATE TRIGGER no BEFORE INSERT ON peer_cursors
      BEGIN SELECT RAISE(ABORT, 'no cursor'); END`);
    expect(() => mergeInto(other, 'device-a', frame as Buffer)).toThrow('no cursor');
    expect(other.db.value('SELECT count(*) FROM events')).toBe(0);
    other.db.exec('DROP TRIGGER no');
    mergeInto(other, 'device-a', frame as Buffer);
    expect(other.db.value('SELECT count(*) FROM events')).toBe(3);
  });

  it('[CS-4] on a full disk nothing is merged, and the frame is not refused', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publishAtOnce(one, 20, 'y'.repeat(10_000));
    const [frame] = framesOf(one);
    const merge = (): unknown => mergeInto(other, 'device-a', frame as Buffer);
    other.db.pragma(`max_page_count = ${String(other.db.pragma('page_count'))}`);
    expect(merge).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }) as Error);
    expect(other.db.value('SELECT count(*) FROM events')).toBe(0);
    expect(other.peerCursors.get('device-a')).toBe(null);
    other.db.pragma('max_page_count = 100000');
    merge();
    expect(other.db.value('SELECT count(*) FROM events')).toBe(20);
  });

  it('[CS-2] changes that share a number in their transaction are never divided', () => {
    const one = openStore('device-a');
    publishAtOnce(one, 20);
    one.db.run('UPDATE events__crsql_clock SET seq = seq / 30');
    const numbers = changeSetsOf(one, 0, { frameChanges: 7 }).map(({ changes }) => changes.length);
    expect(numbers.length).toBeGreaterThan(1);
    expect(numbers.reduce((sum, count) => sum + count, 0)).toBe(
      one.db.value('SELECT count(*) FROM crsql_changes'),
    );
  });

  it('[CS-4] a frame after a gap is refused; a repeated frame changes nothing', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publish(one, 10);
    const frames = framesOf(one, 0, { frameChanges: 6 });
    expect(() => mergeInto(other, 'device-a', frames[1] as Buffer)).toThrow('only those up to 0');
    expect(other.peerCursors.get('device-a')).toBe(null);
    mergeInto(other, 'device-a', frames[0] as Buffer);
    const cursor = other.peerCursors.get('device-a');
    expect(mergeInto(other, 'device-a', frames[0] as Buffer).changes).toBe(0);
    expect(other.peerCursors.get('device-a')).toEqual(cursor);
  });

  it('[CS-5] the change feed reports merged rows', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    addWorkflow(one, 'w');
    publish(one, 2);
    one.runState.append(runEvent({ runId: 'run-7' }));
    const reported = new Map<string, Set<string>>();
    other.db.changes.subscribe((changes: Changes) => {
      for (const [table, ids] of changes) reported.set(table, new Set(ids));
    });
    pull(one, other);
    expect([...(reported.get('workflows') ?? [])]).toEqual(['w']);
    expect([...(reported.get('run_events') ?? [])]).toEqual(['run-7']);
    const events = other.db.all<{ id: string }>('SELECT id FROM events');
    expect(reported.get('events')).toEqual(new Set(events.map(({ id }) => id)));
  });

  it('[CS-6] a merge increases our version by one, for any version of the peer', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publish(one, 40);
    const [set] = changeSetsOf(one);
    const far = { ...(set as ChangeSet), upTo: Number.MAX_SAFE_INTEGER };
    publish(other, 1);
    const before = other.lineages.version();
    mergeInto(other, 'device-a', encodeChangeSet(far));
    expect(other.lineages.version()).toBe(before + 1);
  });

  it('[CS-6] a merge without new changes creates no version', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    publish(one, 3);
    pull(one, other);
    const before = other.lineages.version();
    for (const frame of framesOf(one)) mergeInto(other, 'device-c', frame);
    expect(other.lineages.version()).toBe(before);
    expect(other.peerCursors.mergedFrom('device-c', 0)).toBe(undefined);
    expect(other.peerCursors.mergedFrom('device-a', 0)).toEqual({ from: 1, to: before });
  });

  it('[CS-7] integers keep their type, also beyond 2^53', () => {
    const one = openStore('device-a');
    const site = Buffer.alloc(16, 7);
    const key = Buffer.from([1, (1 << 3) | 3, 1, 0x77]);
    const base = { table: 'workflows', key, columnVersion: 3, causalLength: 1, site };
    const values = [null, 2n ** 62n, -1n, 0n];
    const set: ChangeSet = {
      after: 3,
      upTo: 9,
      part: 0,
      isLast: true,
      changes: values.map((value) => ({ ...base, column: 'consumer_sleep_until', value })),
    };
    const decoded = decodeChangeSet(encodeChangeSet(set), readSyncSchema(one.db));
    expect(decoded).toMatchObject({ after: 3, upTo: 9, part: 0, isLast: true });
    expect(decoded.changes.map(({ value }) => value)).toEqual(values);
    mergeInto(
      one,
      'device-b',
      encodeChangeSet({ ...set, after: 0, changes: set.changes.slice(1, 2) }),
    );
    expect(one.db.get('SELECT id, typeof(consumer_sleep_until) AS type FROM workflows')).toEqual({
      id: 'w',
      type: 'integer',
    });
  });
});
