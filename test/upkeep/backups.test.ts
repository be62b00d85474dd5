import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSilentLog } from '#main/host/log.ts';
import { Backups } from '#main/upkeep/backups.ts';
import { ApiError } from '#shared/api/errors.ts';
import { BACKUP_EVERY_MS, BACKUP_RETRY_MS, DAILY_BACKUPS_KEPT } from '#shared/limits.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';
import { succeeds } from '#test/cli/holdfast.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function setUp(): { store: OpenStore; backups: Backups; folder: string; names: () => string[] } {
  const dataDir = tempFolder();
  const store = openStore('device-a', join(dataDir, 'holdfast.db'));
  const { db, settings, clock } = store;
  const backups = new Backups({ db, settings, clock, log: createSilentLog(), dataDir });
  onTestFinished(() => backups.close());
  const folder = join(dataDir, 'backups');
  const names = (): string[] => (existsSync(folder) ? readdirSync(folder).toSorted() : []);
  return { store, backups, folder, names };
}

function publish({ topics, events }: OpenStore, count: number, prefix: string): void {
  const topic = topics.ensure('workflow-1', 'in');
  for (let n = 0; n < count; n += 1) {
    const messageId = `${prefix}-${n}`;
    events.publish({ topic, messageId, title: messageId, payload: { n } });
  }
}

describe('a backup', () => {
  it('[BK-1] is one owner-only, marked, intact file with all rows of its moment', async () => {
    const { store, backups, names } = setUp();
    addWorkflow(store);
    publish(store, 50, 'before');
    const rows = dumpRows(store.db);
    const made = await backups.make();
    publish(store, 5, 'after');
    expect(names()).toEqual([made.file.split('/').at(-1)]);
    expect(statSync(made.file)).toMatchObject({ size: made.bytes });
    if (process.platform !== 'win32') expect(statSync(made.file).mode & 0o777).toBe(0o600);
    const copy = openStore('device-a', made.file);
    expect(dumpRows(copy.db)).toEqual(rows);
    expect(copy.settings.get('backup')).toEqual({ madeAt: made.madeAt });
    expect(store.settings.get('backup'), 'the database itself is not marked').toBeUndefined();
    expect(copy.db.pragma('integrity_check')).toBe('ok');
  });

  it('[BK-1] does not block writes, and contains a number of rows from before to after', async () => {
    const { store, backups } = setUp();
    addWorkflow(store);
    publish(store, 2000, 'before');
    let written = 0;
    const state = { isDone: false };
    const making = backups.make().finally(() => (state.isDone = true));
    while (!state.isDone) {
      publish(store, 1, `during-${written}`);
      written += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { file } = await making;
    const sqlite = new SQLite(file, { readonly: true });
    onTestFinished(() => void sqlite.close());
    const rows = sqlite.prepare('SELECT count(*) FROM events').pluck().get() as number;
    expect(written).toBeGreaterThan(1);
    expect(rows).toBeGreaterThanOrEqual(2000);
    expect(rows).toBeLessThanOrEqual(2000 + written);
  });

  it('[BK-1] of a database with a row that breaks its rules is refused and leaves no file', async () => {
    const { store, backups, names } = setUp();
    store.db.pragma('ignore_check_constraints = ON');
    store.db.run(`INSERT INTO settings (key, value, updated_at) VALUES ('x', 'no JSON', 1)`);
    store.db.pragma('ignore_check_constraints = OFF');
    await expect(backups.make()).rejects.toThrow('the integrity check failed: CHECK constraint');
    expect(names()).toEqual([]);
  });

  it('[BK-3] that fails reports why, leaves no file, and does not block the next one', async () => {
    const { backups, names } = setUp();
    const file = join(tempFolder(), 'file');
    writeFileSync(file, 'not a folder');
    await expect(backups.make(join(file, 'below'))).rejects.toThrow(/^Could not back up to /);
    await expect(backups.make('here')).rejects.toThrow(ApiError);
    expect(existsSync('here')).toBe(false);
    expect(names()).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('not a folder');
    await backups.make();
    expect(names()).toHaveLength(1);
  });
});

describe('daily backups', () => {
  it('[BK-2] are made every day; old ones are removed, those of migrations stay', async () => {
    const { store, backups, folder, names } = setUp();
    mkdirSync(folder);
    const migration = '2020-01-01T00-00-00-000Z-v3.db';
    writeFileSync(join(folder, migration), '');
    writeFileSync(join(folder, 'holdfast-2026-01-01T00-00-00-000Z-v3.db.partial'), '');
    backups.start();
    expect(names(), 'partial files are removed').toEqual([migration]);
    expect(backups.settings).toEqual({ isDaily: true, keep: DAILY_BACKUPS_KEPT });
    backups.choose({ keep: 2 });
    const made: string[] = [];
    for (let day = 0; day < 4; day += 1) {
      await store.clock.advance(BACKUP_EVERY_MS);
      await eventually(async () => {
        await store.clock.advance(1);
        expect(backups.list()[0]?.file).not.toBe(made.at(-1));
      });
      made.push(backups.list()[0]?.file ?? '');
    }
    await eventually(() =>
      expect(backups.list().map(({ file }) => file)).toEqual(made.slice(-2).toReversed()),
    );
    expect(names()).toContain(migration);
    backups.choose({ keep: 1 });
    expect(backups.list()).toHaveLength(1);
  });

  it('[BK-2] are not made while switched off, or within a day of the last one', async () => {
    const { store, backups } = setUp();
    await backups.make();
    backups.start();
    await store.clock.advance(BACKUP_EVERY_MS / 2);
    expect(backups.list()).toHaveLength(1);
    backups.choose({ isDaily: false });
    await store.clock.advance(3 * BACKUP_EVERY_MS);
    expect(backups.list()).toHaveLength(1);
    backups.choose({ isDaily: true });
    await store.clock.advance(BACKUP_EVERY_MS);
    await eventually(() => expect(backups.list()).toHaveLength(2));
  });

  it('[BK-3] are retried after a failure', async () => {
    const { store, backups, folder } = setUp();
    writeFileSync(folder, 'in the way');
    backups.start();
    await store.clock.advance(BACKUP_EVERY_MS);
    await backups.make(tempFolder()); // queued after the one that fails
    expect(statSync(folder).isFile()).toBe(true);
    rmSync(folder);
    await store.clock.advance(BACKUP_RETRY_MS);
    await eventually(() => expect(backups.list()).toHaveLength(1));
  });
});

it('[BK-1] [BK-2] the backup command makes, configures and lists; a host saves to another folder', async () => {
  const dataDir = tempFolder();
  const data = ['--data', dataDir];
  expect(await succeeds('backup', ...data)).toMatch(/^Saved and verified .*\.db \(\d+ kB\)\.\n$/);
  expect(await succeeds('backup', '--keep', '3', '--no-daily', ...data)).toBe(
    'Daily backups: off. Backups to keep: 3.\n',
  );
  const elsewhere = tempFolder();
  const host = createTestHost(dataDir);
  const result = await host.dispatch('backups.make', { to: elsewhere });
  expect(result.ok).toBe(true);
  expect(readdirSync(elsewhere)).toHaveLength(1);
  await host.close();
  expect((await succeeds('backup', '--list', ...data)).split('\n')).toHaveLength(4);
});
