// For each synced table: hostile rows from a peer are merged into a real host. It goes on, and all other
// workflows run, before and after a restart.
import { describe, expect, it } from 'vitest';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { topicId } from '#shared/ids.ts';
import { ROW_SHAPES } from '#shared/row-shapes.ts';
import {
  merge,
  mergeHostile,
  NAMES,
  othersRun,
  start,
  type Started,
} from '#test/isolation/hostile-host.ts';
import { frameOfRows, templatesOf } from '#test/isolation/hostile-rows.ts';
import { succeed } from '#test/support/api-calls.ts';
import { openStore } from '#test/support/open-store.ts';

/** All lists and pages answer. */
async function allAnswer({ host, ids }: Started): Promise<void> {
  const { dispatch } = host;
  const { workflows } = await succeed(dispatch, 'workflows.list', { limit: 200 });
  expect(workflows.map(({ name }) => name)).toEqual(expect.arrayContaining([NAMES[0], NAMES[2]]));
  await succeed(dispatch, 'inbox.list', {});
  await succeed(dispatch, 'handlerRuns.list', {});
  await succeed(dispatch, 'handlerRuns.list', { text: 'echo' });
  await succeed(dispatch, 'runs.list', {});
  await succeed(dispatch, 'inputs.list', {});
  await succeed(dispatch, 'inputs.list', { text: 'Manual' });
  await succeed(dispatch, 'intents.list', {});
  await succeed(dispatch, 'outbox.list', {});
  await succeed(dispatch, 'devices.list', {});
  await succeed(dispatch, 'metrics.snapshot', {});
  for (const workflowId of ids) {
    await succeed(dispatch, 'workflows.get', { workflowId });
    await succeed(dispatch, 'workflows.graph', { workflowId });
    await succeed(dispatch, 'workflows.versions', { workflowId });
    await succeed(dispatch, 'ownership.get', { workflowId });
    await succeed(dispatch, 'events.list', { workflowId, topic: 'in' });
  }
}

/** A refused row is shown, and leaves the inbox unless it holds its workflow. */
async function acknowledgeOne({ host }: Started): Promise<void> {
  const refused = async (): Promise<{ refusedId: string; isHeld: boolean }[]> => {
    const { items } = await succeed(host.dispatch, 'inbox.list', {});
    return items.flatMap((item) => (item.type === 'refused_row' ? [item] : []));
  };
  const [first] = await refused();
  if (!first) throw new Error('No refused row is in the inbox.');
  const { refusedId, isHeld } = first;
  const answer = await host.dispatch('inbox.acknowledge', { refusedId });
  expect(answer.ok).toBe(!isHeld);
  const left = (await refused()).map((row) => row.refusedId);
  expect(left.includes(refusedId)).toBe(isHeld);
}

const TABLES = Object.keys(ROW_SHAPES);

describe('hostile rows', () => {
  it('[IS-1] every synced table has shapes and hostile rows', () => {
    const tables = syncedTables(openStore().db);
    expect(TABLES.toSorted()).toEqual(tables.toSorted());
    expect(Object.keys(templatesOf('w', 't')).toSorted()).toEqual(tables.toSorted());
  });

  it('[IS-1] the legal rows from which the hostile ones are made are not refused', async () => {
    const started = await start();
    const [, victim = ''] = started.ids;
    for (const [index, [table, template]] of Object.entries(
      templatesOf(victim, topicId(victim, 'in')),
    ).entries()) {
      const row = { key: template.key(3), columns: template.columns };
      merge(started, frameOfRows(started.host.folder.db, table, [row], index));
    }
    expect(started.host.stores.refusedRows.list()).toEqual([]);
  });

  it.each(TABLES)(
    '[IS-1] [IS-2] [IS-3] [IS-5] %s: hostile rows stop nothing else, also after a restart',
    async (table) => {
      const started = await start();
      const { merged, sent } = mergeHostile(started, table);
      expect(merged).toBeGreaterThan(sent / 2);
      await othersRun(started);
      await allAnswer(started);
      await started.pass(120_000);
      await othersRun(started);
      const again = await started.restart();
      await othersRun(again);
      await allAnswer(again);
      await again.pass(1_800_000);
      await othersRun(again);
      expect(again.errors.length).toBeLessThan(60);
      if (sent > 1) await acknowledgeOne(again);
    },
  );
});
