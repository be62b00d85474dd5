// Archiving of inputs with their automation runs, history and side effects.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startManually } from '#main/inputs/start-manually.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { readArchive } from '#test/support/read-archive.ts';
import { exportTo } from '#main/upkeep/export.ts';
import { importFrom } from '#main/upkeep/import.ts';
import { automationRunId } from '#shared/ids.ts';
import { isInputDone, type OldInput } from '#shared/retention.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { DAY, retentionOf, skipUnfinishedEvents, withInputs } from '#test/support/ended-inputs.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { POSTER } from '#test/support/start-engine.ts';
import { startInputs } from '#test/support/start-inputs.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { addWorkflow, ECHO, ended } from '#test/support/webhooks.ts';

const INPUT_TABLES = ['trigger_events', 'automation_runs', 'automation_side_effects'];

const idsOf = ({ db }: OpenStore): string[] =>
  db.all<{ id: string }>('SELECT id FROM trigger_events').map(({ id }) => id);

describe('old inputs', () => {
  it('[RT-9] are archived with their runs, history and side effects', async () => {
    const inputs = await withInputs();
    const { store } = inputs.under;
    const [first = '', second = '', last = ''] = inputs.ids;
    const { retention, lines } = retentionOf(inputs);
    const before = dumpRows(store.db);
    expect(before['automation_side_effects']).toHaveLength(3);
    expect(await retention.pass(), 'nothing is old yet').toBe(0);
    await inputs.pass(2 * DAY);
    await retention.pass();
    // The last run of a handler stays with its event, and so does its input.
    expect(idsOf(store)).toEqual([last]);
    const after = dumpRows(store.db);
    for (const table of [...INPUT_TABLES, 'run_events']) {
      const removed = (before[table] ?? []).filter(
        (row) => !after[table]?.some((left) => JSON.stringify(left) === JSON.stringify(row)),
      );
      const archived = lines().filter((line) => line.table === table);
      expect(archived.length, table).toBe(removed.length);
      expect(archived.length, table).toBeGreaterThan(1);
      for (const { row } of archived) {
        expect(removed, table).toContainEqual(expect.objectContaining(row));
      }
    }
    for (const table of INPUT_TABLES) expect(after[table], table).toHaveLength(1);
    const local = store.db.all(
      'SELECT run_id FROM outbox UNION SELECT run_id FROM automation_leases',
    );
    expect(local).toEqual([{ run_id: inputs.run(last).id }]);
    expect([first, second].map((id) => store.triggerEvents.get(id))).toEqual([
      undefined,
      undefined,
    ]);
    expect(await retention.pass()).toBe(0);
  });

  it('[RT-2] [RT-9] stay while they are unfinished, with their events, runs and effects', async () => {
    const inputs = startInputs();
    const { store, outside, add } = inputs.under;
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'lost' });
    const unknown = await inputs.start(workflowId, { n: 1 });
    const behind = await inputs.start(workflowId, { n: 2 });
    const { retention } = retentionOf(inputs);
    // Older than the retention setting, and before their deadline.
    retention.choose(1);
    await inputs.pass(2 * DAY);
    expect(inputs.run(unknown).state.status).toBe('needs_human');
    const before = dumpRows(store.db);
    await retention.pass();
    const after = dumpRows(store.db);
    for (const table of [...INPUT_TABLES, 'events', 'handler_runs', 'mutations']) {
      expect(after[table], table).toEqual(before[table]);
    }
    expect(idsOf(store).toSorted()).toEqual([unknown, behind].toSorted());
  });

  it('[RT-9] cannot be deleted by a plain DELETE', async () => {
    const { under } = await withInputs();
    for (const table of INPUT_TABLES) {
      expect(() => under.store.db.run(`DELETE FROM ${table}`), table).toThrow(
        `immutable: ${table}`,
      );
    }
  });

  it('[RT-3] [RT-9] an archived input that comes again is a duplicate and sends nothing', async () => {
    const inputs = startInputs();
    const { store, engine, outside } = inputs.under;
    const workflowId = await inputs.under.add(POSTER);
    const byHand = { requestId: randomUUID(), workflowId, topic: 'in', title: 'x', payload: 1 };
    const start = () =>
      store.db.write(() => startManually(engine.context.inputs, createMasker(), byHand));
    const { inputId } = start();
    await inputs.idle();
    await inputs.start(workflowId, { n: 'the last run of the handler' });
    skipUnfinishedEvents(store, workflowId);
    await inputs.pass(2 * DAY);
    await retentionOf(inputs).retention.pass();
    expect(store.triggerEvents.get(inputId)).toBeUndefined();
    const sent = outside.arrived.length;
    expect(start()).toMatchObject({ inputId, isNew: false });
    await inputs.idle();
    expect(outside.arrived).toHaveLength(sent);
    expect(store.triggerEvents.get(inputId)).toBeUndefined();
    expect(store.triggerEvents.isKnown(inputId)).toBe(true);
    expect(store.triggerEvents.isKnown('another')).toBe(false);
  });

  it('[RT-4] [RT-9] other devices archive them too and do not bring them back', async () => {
    const inputs = await withInputs();
    const { store } = inputs.under;
    const [other, late] = [openStore('device-b'), openStore('device-c')];
    exchange(store.db, other.db);
    exchange(store.db, late.db);
    await inputs.pass(2 * DAY);
    const left = await retentionOf(inputs).retention.pass();
    exchange(store.db, other.db);
    expect(other.archivableHistory.archived(1000)).toHaveLength(left);
    for (const [from, to] of [
      [late, store],
      [late, other],
      [store, late],
    ] as const) {
      exchange(from.db, to.db);
    }
    for (const { db } of [other, late]) expect(dumpRows(db)).toEqual(dumpRows(store.db));
    expect(idsOf(store)).toHaveLength(1);
  });
});

it('[EX-3] [RT-9] an export has archived inputs in its archive only, and an import knows their ids', async () => {
  const inputs = await withInputs();
  const { store } = inputs.under;
  const { retention, archive, lines } = retentionOf(inputs);
  await inputs.pass(2 * DAY);
  await retention.pass();
  const dir = join(tempFolder(), 'export');
  exportTo(store.path, { archive, artifacts: inputs.artifacts.folder }, dir, 5000);
  const other = openStore('device-b');
  const place = {
    db: other.db,
    settings: other.settings,
    deviceId: other.context.deviceId,
    archive: join(tempFolder(), 'archive'),
    artifacts: join(tempFolder(), 'artifacts'),
    now: store.clock.now(),
  };
  importFrom(dir, place, { withGrants: true });
  expect(dumpRows(other.db)).toEqual(dumpRows(store.db));
  const files = readdirSync(place.archive);
  expect(files.flatMap((name) => readArchive(join(place.archive, name)))).toEqual(lines());
  // The importing device treats the same input as a duplicate.
  expect(other.triggerEvents.isKnown(inputs.ids[0] ?? '')).toBe(true);
});

it('[RT-9] starting an archived input again is refused', async () => {
  const { host } = await serveInProcess();
  const workflowId = await addWorkflow(host, ECHO);
  const request = { requestId: randomUUID(), workflowId, topic: 'in', payload: { say: 'hi' } };
  const { input } = await succeed(host.dispatch, 'inputs.start', request);
  await ended(host, input.id);
  const { db } = host.folder;
  db.write(() => {
    archiveDelete(db, 'automation_runs', 'id', automationRunId(input.id));
    archiveDelete(db, 'trigger_events', 'id', input.id);
  });
  expect(await fail(host.dispatch, 'inputs.start', request)).toMatchObject({
    type: 'conflict',
    message: expect.stringContaining('Nothing was started'),
  });
});

describe('the retention rule', () => {
  it('[RT-9] keeps an input for each single reason', () => {
    const done: OldInput = {
      status: 'succeeded',
      endedAt: 1,
      hasEvents: false,
      hasWork: false,
      hasOpenIntent: false,
    };
    for (const status of ['succeeded', 'failed', 'canceled', 'timed_out', 'skipped'] as const) {
      expect(isInputDone({ ...done, status }, 2)).toBe(true);
    }
    const reasons: Partial<OldInput>[] = [
      ...(['queued', 'enriching', 'ready', 'running', 'needs_human'] as const).map((status) => ({
        status,
      })),
      { endedAt: null },
      { endedAt: 2 },
      { hasEvents: true },
      { hasWork: true },
      { hasOpenIntent: true },
    ];
    for (const reason of reasons) {
      expect(isInputDone({ ...done, ...reason }, 2), JSON.stringify(reason)).toBe(false);
    }
  });
});
