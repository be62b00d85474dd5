// Databases of every earlier schema version, opened by this version.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DATABASE_FILE, openDataFolder } from '#main/data-folder/data-folder.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { loadMigrations, migrateFile } from '#main/store/sqlite/migrate.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { SCHEMA_ROWS } from '#test/support/schema-rows.ts';
import { openStore } from '#test/support/open-store.ts';
import { eventually } from '#test/support/eventually.ts';
import {
  addNamed,
  pairHosts,
  seenBy,
  startHost,
  untilEqual,
  untilLive,
} from '#test/support/paired-hosts.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const LEVELS = 'test/fixtures/levels';
const nameOf = (version: number): string => `v${String(version).padStart(2, '0')}.db.gz`;
const levels = loadMigrations().map(({ version }) => version);

function levelFile(version: number, folder = tempFolder()): string {
  const path = join(folder, 'holdfast.db');
  writeFileSync(path, gunzipSync(readFileSync(join(LEVELS, nameOf(version)))));
  return path;
}

type Row = { readonly [column: string]: unknown };

/** Stored and generated columns of every table of ours. */
function rowsIn(path: string): Map<string, Row[]> {
  const sqlite = new SQLite(path);
  try {
    const tables = sqlite
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table'
           AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%crsql%'`,
      )
      .pluck()
      .all() as string[];
    return new Map(
      tables.map((table) => [table, sqlite.prepare(`SELECT * FROM ${table}`).all() as Row[]]),
    );
  } finally {
    sqlite.close();
  }
}

/** The fixtures have an effect without an organization, which no version wrote. It gets that of the device. */
function asMigrated(table: string, row: Row): Row {
  if (table !== 'automation_side_effects') return row;
  return { ...row, organization_id: row['organization_id'] ?? 'space-1' };
}

it('[UG-1] there is a fixture of every schema version ("npm run fixtures" creates missing ones)', () => {
  expect(readdirSync(LEVELS).toSorted()).toEqual(levels.map(nameOf));
  expect(Object.keys(SCHEMA_ROWS).map(Number)).toEqual(levels);
});

describe.each(levels)('schema version %d', (version) => {
  it('[UG-1] migrates to the latest version without losing or changing a row', () => {
    const path = levelFile(version);
    const before = rowsIn(path);
    const filled = [...before].filter(([, rows]) => rows.length > 0).map(([table]) => table);
    expect(filled.length, 'rows to lose').toBeGreaterThanOrEqual(Math.min(version, 10));
    expect(migrateFile(path)).toMatchObject({ from: version, to: levels.length });
    const after = rowsIn(path);
    for (const [table, rows] of before) {
      const now = after.get(table) ?? [];
      expect(now.length, table).toBeGreaterThanOrEqual(rows.length);
      for (const row of rows) {
        expect(now, table).toContainEqual(expect.objectContaining(asMigrated(table, row)));
      }
    }
    const db = new Database(path);
    onTestFinished(() => db.close());
    expect(db.pragma('integrity_check')).toBe('ok');
    expect(db.pragma('auto_vacuum')).toBe(2);
    // The synced tables still sync: a new device receives all rows.
    const fresh = openStore('device-9');
    exchange(db, fresh.db);
    expect(dumpRows(fresh.db)).toEqual(dumpRows(db));
    expect(syncedTables(db).length).toBeGreaterThan(10);
  });

  it('[UG-1] opens as a data folder', () => {
    const dir = tempFolder();
    levelFile(version, dir);
    const folder = openDataFolder({ dir, clock: systemClock, ids: createSystemIds(systemClock) });
    onTestFinished(() => folder.close());
    expect(folder.migrated).toMatchObject({ from: version, to: levels.length });
    expect(folder.db.value(`SELECT count(*) FROM workflows`)).toBe(version < 2 ? 0 : 1);
  });
});

/** A change that change sets depend on. */
function addSyncedColumn(dir: string): void {
  const db = new Database(join(dir, DATABASE_FILE));
  db.exec(`SELECT crsql_begin_alter('workflows')`);
  db.exec('ALTER TABLE workflows ADD COLUMN more TEXT');
  db.exec(`SELECT crsql_commit_alter('workflows')`);
  db.close();
}

it('[UG-2] hosts with different schema versions report that an update is needed, keep their changes, and sync after the update', async () => {
  const [deskDir, laptopDir] = [tempFolder(), tempFolder()];
  const desk = startHost(deskDir);
  const laptop = startHost(laptopDir);
  await pairHosts(desk, laptop);
  await untilLive(desk, laptop);
  await desk.close();
  addSyncedColumn(deskDir);
  await addNamed(laptop, 'Written by the older one');
  // Simulates the previous version: the greeting carries this number.
  const level = Number(laptop.folder.db.pragma('user_version'));
  laptop.folder.db.exec(`PRAGMA user_version = ${level - 1}`);
  const newer = startHost(deskDir);
  await addNamed(newer, 'Written by the newer one');
  await eventually(async () => {
    expect((await seenBy(newer, laptop)).sync).toMatchObject({
      state: 'update-needed',
      who: 'peer',
    });
    expect((await seenBy(laptop, newer)).sync).toMatchObject({
      state: 'update-needed',
      who: 'us',
      message: expect.stringMatching(/^Holdfast on this device is older\..*Update it/) as string,
    });
  });
  expect(dumpRows(newer.folder.db)['workflows']).toHaveLength(1);
  expect(dumpRows(laptop.folder.db)['workflows']).toHaveLength(1);
  laptop.folder.db.exec(`PRAGMA user_version = ${level}`);
  await laptop.close();
  addSyncedColumn(laptopDir);
  const updated = startHost(laptopDir);
  await untilLive(newer, updated);
  await untilEqual(newer, updated);
  expect(dumpRows(updated.folder.db)['workflows']).toHaveLength(2);
});
