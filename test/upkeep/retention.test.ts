import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSilentLog } from '#main/host/log.ts';
import { ArchiveFiles } from '#main/upkeep/archive-file.ts';
import { readArchive } from '#test/support/read-archive.ts';
import { Retention } from '#main/upkeep/retention.ts';
import { cutoffOf, isEventDone, isRunDone, type OldEvent, type OldRun } from '#shared/retention.ts';
import { succeeds } from '#test/cli/holdfast.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import { clockForAll, connect, device, settle } from '#test/sync/session/two-devices.ts';

const DAY = 24 * 60 * 60 * 1000;
const HISTORY = [
  'events',
  'handler_runs',
  'mutations',
  'reservations',
  'run_events',
  'script_runs',
];

function retentionOf(
  store: OpenStore,
  dataDir = tempFolder(),
  peers: { name: string; syncedAt: number }[] = [],
): Retention & { readonly archive: string } {
  const { context } = store;
  const retention = new Retention({
    store: context,
    stores: store,
    log: createSilentLog(),
    dataDir,
    peers: () => peers,
    sweepArtifacts: async () => ({ removed: 0, bytes: 0 }),
  });
  retention.choose(1);
  return Object.assign(retention, { archive: join(dataDir, 'archive') });
}

type Row = Record<string, string | number | null>;

/** Names a row, in the database and in the archive. */
function keyOf(table: string, row: Row): string {
  const names = ['id', 'event_id', 'attempt_number', 'handler_run_id', 'run_id', 'idempotency_key'];
  const wanted = row['id'] === undefined ? names : ['id'];
  return `${table} ${wanted.map((name) => String(row[name] ?? '')).join(' ')}`;
}

const countsOf = ({ db }: OpenStore): Record<string, number> =>
  Object.fromEntries(
    HISTORY.map((table) => [table, db.value<number>(`SELECT count(*) FROM ${table}`) ?? 0]),
  );

async function withRuns(): Promise<EngineUnderTest & { readonly workflowId: string }> {
  const under = startEngine();
  const workflowId = await under.add(POSTER);
  for (const id of ['m1', 'm2', 'm3']) await under.publish(workflowId, 'in', id, { id });
  // Its published events have no consumer, so they are skipped to be finished.
  for (const id of under.store.events.unfinished(workflowId)) {
    under.store.events.move(id, { type: 'skip', reason: 'by_person' });
  }
  await under.pass(60_000);
  return { ...under, workflowId };
}

describe('archiving', () => {
  it('[RT-1] [RT-2] moves old groups of rows to a file; the last run of a handler stays', async () => {
    const { store, pass, workflowId } = await withRuns();
    const retention = retentionOf(store);
    const before = dumpRows(store.db);
    expect(countsOf(store)).toMatchObject({ handler_runs: 3, mutations: 3, reservations: 3 });
    expect(await retention.pass(), 'nothing is old yet').toBe(0);
    await pass(2 * DAY);
    expect(await retention.pass()).toBeGreaterThan(10);
    expect(countsOf(store)).toMatchObject({ handler_runs: 1, mutations: 1, reservations: 1 });
    expect(store.handlerState.get(workflowId, 'post')).toBeDefined();

    const lines = readdirSync(retention.archive).flatMap((name) =>
      readArchive(join(retention.archive, name)),
    );
    const after = dumpRows(store.db);
    for (const table of HISTORY) {
      const removed = (before[table] as Record<string, unknown>[]).filter(
        (row) => !after[table]?.some((left) => JSON.stringify(left) === JSON.stringify(row)),
      );
      const archived = lines.filter((line) => line.table === table);
      expect(archived.length, table).toBe(removed.length);
      for (const { row } of archived) {
        expect(removed, table).toContainEqual(expect.objectContaining(row));
      }
    }
    expect(await retention.pass()).toBe(0);
  });

  it('[RT-10] has a preview with the same counts, which changes nothing', async () => {
    const { store, pass } = await withRuns();
    const retention = retentionOf(store);
    retention.choose(null);
    expect(await retention.preview(1)).toMatchObject({ runs: 0, events: 0, isMore: false });
    await pass(2 * DAY);
    const before = countsOf(store);
    const preview = await retention.preview(1);
    expect(countsOf(store)).toEqual(before);
    expect(await retention.preview(3)).toMatchObject({ runs: 0, events: 0 });
    retention.choose(1);
    await retention.pass();
    const after = countsOf(store);
    expect(preview).toMatchObject({
      runs: 2,
      events: (before['events'] ?? 0) - (after['events'] ?? 0),
      isMore: false,
      elsewhere: 0,
      waitsFor: null,
    });
    expect((before['handler_runs'] ?? 0) - (after['handler_runs'] ?? 0)).toBe(preview.runs);
    expect(preview.events).toBeGreaterThan(0);
  });

  it('[RT-10] previews nothing of other devices, and names the device it waits for', async () => {
    const { store, pass } = await withRuns();
    const away = store.context.clock.now();
    await pass(2 * DAY);
    const held = retentionOf(store, tempFolder(), [{ name: 'attic', syncedAt: away - DAY }]);
    expect(await held.preview(1)).toMatchObject({ runs: 0, events: 0, waitsFor: 'attic' });
    const other = openStore('other');
    exchange(store.db, other.db);
    expect(await retentionOf(other).preview(1)).toMatchObject({ runs: 0, events: 0, elsewhere: 1 });
  });

  it('[RT-1] archives nothing without a number of days', async () => {
    const { store, pass } = await withRuns();
    const retention = retentionOf(store);
    retention.choose(null);
    await pass(3 * DAY);
    expect(await retention.pass()).toBe(0);
    expect(retention.view()).toEqual({ days: null, cutoff: null, waitsFor: null });
  });

  it('[RT-1] runs on a schedule', async () => {
    const { store, pass } = await withRuns();
    const retention = retentionOf(store);
    retention.start();
    await pass(2 * DAY);
    await eventually(async () => {
      await pass(60 * 60_000);
      expect(countsOf(store)).toMatchObject({ handler_runs: 1 });
    });
    await retention.close();
  });

  it('[RT-2] leaves unfinished rows and the rows they refer to', async () => {
    const under = startEngine();
    const { store, outside, publish, pass } = under;
    const workflowId = await under.add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'lost' });
    await publish(workflowId, 'in', 'unknown');
    await publish(workflowId, 'in', 'behind it');
    const retention = retentionOf(store);
    await pass(3 * DAY);
    const before = dumpRows(store.db);
    await retention.pass();
    const after = dumpRows(store.db);
    for (const table of ['events', 'handler_runs', 'mutations', 'reservations']) {
      expect(after[table], table).toEqual(before[table]);
    }
    expect(store.mutations.byStatus('indeterminate')).toHaveLength(1);
  });
});

describe('the retention rule', () => {
  const run: OldRun = {
    id: 'r',
    phase: 'committed',
    endedAt: 1,
    effect: { status: 'applied', isResolved: false },
    hasOpenDecision: false,
    isNeeded: false,
    hasIncident: false,
  };
  const event: OldEvent = {
    id: 'e',
    status: 'consumed',
    isSetAside: false,
    updatedAt: 1,
    hasIncident: false,
    isInputOpen: false,
  };

  it('[RT-2] keeps a run or event for each single reason', () => {
    expect(isRunDone(run, 2)).toBe(true);
    expect(isRunDone({ ...run, effect: null }, 2)).toBe(true);
    expect(isRunDone({ ...run, effect: { status: 'indeterminate', isResolved: true } }, 2)).toBe(
      true,
    );
    const reasons: Partial<OldRun>[] = [
      ...['pending', 'preparing', 'prepared', 'mutating', 'mutated', 'emitting', 'suspended'].map(
        (phase) => ({ phase }),
      ),
      { endedAt: null },
      { endedAt: 2 },
      ...(['pending', 'in_flight', 'needs_reconcile', 'indeterminate'] as const).map((status) => ({
        effect: { status, isResolved: false },
      })),
      { hasOpenDecision: true },
      { isNeeded: true },
      { hasIncident: true },
    ];
    for (const reason of reasons) {
      expect(isRunDone({ ...run, ...reason }, 2), JSON.stringify(reason)).toBe(false);
    }
    expect(isEventDone(event, 2)).toBe(true);
    for (const reason of [
      { status: 'pending' },
      { status: 'reserved' },
      { isSetAside: true },
      { updatedAt: 2 },
      { hasIncident: true },
      { isInputOpen: true },
    ]) {
      expect(isEventDone({ ...event, ...reason }, 2), JSON.stringify(reason)).toBe(false);
    }
  });

  it('[RT-5] keeps history that the slowest paired device has not synced', async () => {
    expect(cutoffOf(100 * DAY, 30, [])).toBe(70 * DAY);
    expect(cutoffOf(100 * DAY, 30, [90 * DAY, 20 * DAY])).toBe(20 * DAY);
    const { store, pass } = await withRuns();
    const peer = { name: 'Phone', syncedAt: 0 };
    const retention = retentionOf(store, tempFolder(), [peer]);
    await pass(3 * DAY);
    expect(await retention.pass()).toBe(0);
    expect(retention.view()).toMatchObject({ cutoff: 0, waitsFor: 'Phone' });
    peer.syncedAt = store.clock.now();
    expect(retention.view().waitsFor).toBeNull();
    expect(await retention.pass()).toBeGreaterThan(0);
  });

  it('[RT-8] history cannot be deleted by a plain DELETE', async () => {
    const { store } = await withRuns();
    for (const table of HISTORY) {
      expect(() => store.db.run(`DELETE FROM ${table}`), table).toThrow(`immutable: ${table}`);
    }
  });
});

describe('after archiving', () => {
  it('[RT-3] the same message is not processed again', async () => {
    const { store, pass, outside, publish, workflowId } = await withRuns();
    await pass(2 * DAY);
    await retentionOf(store).pass();
    const eventIds = store.db.all('SELECT id FROM events');
    const sent = outside.arrived.length;
    await publish(workflowId, 'in', 'm1', { id: 'again' });
    expect(outside.arrived).toHaveLength(sent);
    expect(store.db.all('SELECT id FROM events')).toEqual(eventIds);
    await publish(workflowId, 'in', 'm9');
    expect(outside.arrived).toHaveLength(sent + 1);
  });

  it('[RT-6] rows that a crash left in archived_rows are in the file once when read', async () => {
    const { store, pass, workflowId } = await withRuns();
    const dataDir = tempFolder();
    await pass(2 * DAY);
    store.archivableHistory.archiveRuns(workflowId, store.clock.now() - DAY, '', 10);
    const waiting = store.archivableHistory.archived(100);
    expect(waiting.length).toBeGreaterThan(5);
    // Written to the file but not deleted yet, so the next pass writes them again.
    new ArchiveFiles(join(dataDir, 'archive')).append(waiting, store.clock.now());
    const retention = retentionOf(store, dataDir);
    retention.choose(null);
    await retention.pass();
    expect(store.archivableHistory.archived(1)).toEqual([]);
    const lines = readdirSync(retention.archive).flatMap((name) =>
      readArchive(join(retention.archive, name)),
    );
    expect(lines).toHaveLength(waiting.length);
  });

  /** Keys of the rows in the database, staged for the archive, and in its files. */
  function rowsEverywhere(store: OpenStore, archive: string): Set<string> {
    const inDatabase = HISTORY.flatMap((table) =>
      store.db.all<Row>(`SELECT * FROM ${table}`).map((row) => keyOf(table, row)),
    );
    const staged = store.archivableHistory
      .archived(10_000)
      .map(({ kind, content }) => keyOf(kind, JSON.parse(content) as Row));
    const files = existsSync(archive) ? readdirSync(archive) : [];
    const written = files
      .flatMap((name) => readArchive(join(archive, name)))
      .map(({ table, row }) => keyOf(table, row as Row));
    return new Set([...inDatabase, ...staged, ...written]);
  }

  it('[RT-6] a crash before any commit of a pass loses no row, and the next pass archives the rest', async () => {
    const { store, pass } = await withRuns();
    await pass(2 * DAY);
    const all = rowsEverywhere(store, 'none yet');
    store.db.pragma('wal_checkpoint(TRUNCATE)');
    const now = store.clock.now();
    let crashes = 0;
    for (let isOver = false; !isOver; crashes += 1) {
      const [path, dataDir] = [join(tempFolder(), 'copy.db'), tempFolder()];
      copyFileSync(store.path, path);
      const first = openStore('device-a', path, {}, createVirtualClock(now));
      const dying = retentionOf(first, dataDir);
      let commits = 0;
      first.db.beforeCommit(() => {
        if (commits >= crashes) throw new Error('killed');
        commits += 1;
      });
      isOver = await dying.pass().then(
        () => true,
        () => false,
      );
      first.db.close();
      const next = openStore('device-a', path, {}, createVirtualClock(now));
      expect(rowsEverywhere(next, dying.archive), `after ${crashes} commits`).toEqual(all);
      await retentionOf(next, dataDir).pass();
      expect(next.archivableHistory.archived(1)).toEqual([]);
      expect(rowsEverywhere(next, dying.archive), `after ${crashes} commits`).toEqual(all);
      expect(countsOf(next)).toMatchObject({ handler_runs: 1 });
      next.db.close();
    }
    expect(crashes).toBeGreaterThan(5);
  });

  it('[RT-6] a crash at any byte of an append leaves a file that is readable, with every row', async () => {
    const rows = ['one', 'two', 'three'].map((id) => ({
      kind: 'events',
      content: JSON.stringify({ id, facts: '{}' }),
    }));
    const [before, after] = [rows.slice(0, 1), rows.slice(1)];
    const whole = new ArchiveFiles(tempFolder());
    whole.append(before, 1);
    const path = join(whole.folder, '1970-01.jsonl.gz');
    const first = readFileSync(path);
    whole.append(after, 1);
    const both = readFileSync(path);
    for (let cut = first.length; cut <= both.length; cut += 1) {
      writeFileSync(path, both.subarray(0, cut));
      // The rows of the unfinished append are staged, so the next start appends them again.
      new ArchiveFiles(whole.folder).append(after, 1);
      const ids = readArchive(path).map(({ row }) => row['id']);
      expect(ids, `cut at ${cut}`).toEqual(['one', 'two', 'three']);
    }
    // A file that is damaged in its middle keeps everything.
    const damaged = Buffer.from(both);
    damaged[first.length - 1] = 0xff;
    writeFileSync(path, damaged);
    new ArchiveFiles(whole.folder).append(after, 1);
    expect(readFileSync(path).subarray(0, damaged.length)).toEqual(damaged);
  });

  it('[RT-7] the database file is smaller and intact', async () => {
    const store = openStore();
    const topic = store.topics.ensure('workflow-1', 'in');
    store.workflows.create('workflow-1', { name: 'w', scriptId: null });
    for (let n = 0; n < 1500; n += 1) {
      const payload = { text: `${n}`.padEnd(1000, 'x') };
      store.events.publish({ topic, messageId: `m${n}`, title: 'm', payload });
    }
    for (const id of store.events.unfinished('workflow-1')) store.events.move(id, { type: 'skip' });
    store.db.pragma('wal_checkpoint(TRUNCATE)');
    const before = statSync(store.path).size;
    await store.clock.advance(2 * DAY);
    const retention = retentionOf(store);
    expect(await retention.pass()).toBe(1500);
    store.db.pragma('wal_checkpoint(TRUNCATE)');
    const after = statSync(store.path).size;
    expect(after).toBeLessThan(before * 0.4);
    expect(store.db.pragma('integrity_check')).toBe('ok');
    expect(existsSync(retention.archive)).toBe(true);
  });
});

describe('other devices', () => {
  it('[RT-4] delete the archived rows, archive them too, and do not bring them back', async () => {
    const { store, pass } = await withRuns();
    const other = openStore('device-b');
    const late = openStore('device-c');
    exchange(store.db, other.db);
    exchange(store.db, late.db);
    await pass(2 * DAY);
    const left = await retentionOf(store).pass();
    exchange(store.db, other.db);
    expect(dumpRows(other.db)).toEqual(dumpRows(store.db));
    expect(other.archivableHistory.archived(1000)).toHaveLength(left);
    // A device that was away still has the old rows and sends them.
    for (const [from, to] of [
      [late, store],
      [late, other],
      [store, late],
      [late, store],
    ] as const) {
      exchange(from.db, to.db);
    }
    expect(dumpRows(late.db)).toEqual(dumpRows(store.db));
    expect(dumpRows(other.db)).toEqual(dumpRows(store.db));
    expect(countsOf(store)).toMatchObject({ handler_runs: 1 });
    // A new device gets the remaining rows, and still refuses archived messages.
    const fresh = openStore('device-d');
    exchange(other.db, fresh.db);
    expect(dumpRows(fresh.db)).toEqual(dumpRows(store.db));
    const topic = store.db.get<{ id: string; workflowId: string }>(
      `SELECT id, workflow_id AS workflowId FROM topics WHERE name = 'in'`,
    );
    const again = { topic: topic ?? { id: '', workflowId: '' }, title: 'x', payload: null };
    expect(fresh.events.publish({ ...again, messageId: 'm1' }).type).toBe('kept');
    expect(fresh.events.publish({ ...again, messageId: 'new' }).type).toBe('published');
  });

  it('[RT-4] converge over real sync sessions, also with a device that lost its data', async () => {
    const clock = clockForAll();
    const [one, other] = [device('device-a', clock), device('device-b', clock)];
    const topic = one.store.topics.ensure('w', 'in');
    one.store.workflows.create('w', { name: 'w', scriptId: null });
    for (let n = 0; n < 300; n += 1) {
      one.store.events.publish({ topic, messageId: `m${n}`, title: 'm', payload: n });
    }
    for (const id of one.store.events.unfinished('w').slice(50)) {
      one.store.events.move(id, { type: 'skip' });
    }
    const first = connect(one, other);
    await settle(clock, first);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
    await one.store.clock.advance(2 * DAY);
    await retentionOf(one.store).pass();
    await settle(clock, first);
    expect(other.store.db.value('SELECT count(*) FROM events')).toBe(50);
    expect(dumpRows(other.store.db)).toEqual(dumpRows(one.store.db));
    first.link.cut();
    // An empty device with the first one's id gets only the remaining rows.
    const empty = device('device-a', clock);
    const again = connect(empty, other);
    await settle(clock, again);
    expect(dumpRows(empty.store.db)).toEqual(dumpRows(one.store.db));
    expect(other.store.db.value('SELECT count(*) FROM events')).toBe(50);
  });
});

it('[RT-1] the retention command shows, sets, previews and archives', async () => {
  const data = ['--data', tempFolder()];
  expect(await succeeds('retention', ...data)).toBe('History is never archived.\n');
  expect(await succeeds('retention', '90', '--now', ...data)).toMatch(
    /archived after 90 days\. Unfinished runs are not archived\.\nArchived 0 rows\.\n$/,
  );
  expect(await succeeds('retention', '7', '--preview', ...data)).toMatch(
    /^Would archive 0 runs and 0 events that ended before .*\. Nothing was changed\.\n$/,
  );
  expect(await succeeds('retention', ...data)).toMatch(/archived after 90 days/);
  expect(await succeeds('retention', 'forever', ...data)).toBe('History is never archived.\n');
});
