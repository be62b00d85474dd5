// Retention, backups and exports of a database with rows that this device can't read.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROW_SHAPES } from '#shared/row-shapes.ts';
import { ArchiveFiles } from '#main/upkeep/archive-file.ts';
import { exportTo } from '#main/upkeep/export.ts';
import { importFrom } from '#main/upkeep/import.ts';
import { mergeHostile, othersRun, start } from '#test/isolation/hostile-host.ts';
import { succeed } from '#test/support/api-calls.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { openStore } from '#test/support/open-store.ts';

it('[IS-5] archiving, backups and exports do their work with hostile rows in all tables, and lose none', async () => {
  const started = await start();
  const { host } = started;
  const { dispatch, folder } = host;
  for (const table of Object.keys(ROW_SHAPES)) mergeHostile(started, table, 3);
  await othersRun(started);
  const { days } = await succeed(dispatch, 'retention.choose', { days: 30 });
  expect(days).toBe(30);
  await succeed(dispatch, 'retention.preview', { days: 30 });
  await succeed(dispatch, 'retention.pass', {});
  await host.dispatch('backups.make', {}).then((answer) => expect(answer.ok).toBe(true));
  const dir = join(tempFolder(), 'export');
  const folders = {
    archive: join(folder.dir, 'archive'),
    artifacts: join(folder.dir, 'artifacts'),
  };
  const database = join(folder.dir, 'holdfast.db');
  const before = dumpRows(folder.db);
  exportTo(database, folders, dir, 1);
  expect(existsSync(join(dir, 'manifest.json'))).toBe(true);
  const target = openStore('device-z');
  importFrom(
    dir,
    {
      db: target.db,
      settings: target.settings,
      deviceId: 'device-z',
      archive: join(tempFolder(), 'archive'),
      artifacts: join(tempFolder(), 'artifacts'),
      now: 1,
    },
    { withGrants: false },
  );
  expect(dumpRows(target.db)).toMatchObject(before);
  expect(started.errors).toEqual([]);
}, 180_000);

it('[IS-5] archived rows with any content are written to a file', () => {
  const folder = tempFolder();
  const at = Date.UTC(2026, 0, 2);
  const values = [null, 5, 'text', [], { at: 1e300 }, { ended_at: '../../x' }, { created_at: at }];
  const contents = values.map((value) => ({ outcome: JSON.stringify(value), facts: '{}' }));
  new ArchiveFiles(folder).append(
    contents.map((content) => ({ kind: 'mutations', content: JSON.stringify(content) })),
    at,
  );
  expect(readdirSync(folder)).toEqual(['2026-01.jsonl.gz']);
});

it('[IS-5] sources whose ids begin alike, or are paths, are exported beside each other', () => {
  const store = openStore();
  for (const id of ['../../../up', 'abcdefgh-1', 'abcdefgh-2']) {
    const { id: scriptId } = store.scripts.ensure(id, `// ${id}`);
    store.workflows.create(id, { name: 'Same', scriptId });
  }
  const dir = join(tempFolder(), 'export');
  exportTo(store.path, { archive: join(dir, 'none'), artifacts: join(dir, 'none') }, dir, 1);
  expect(readdirSync(join(dir, 'workflows'))).toHaveLength(3);
});
