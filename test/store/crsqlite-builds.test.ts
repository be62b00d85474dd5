// Two builds of cr-sqlite: ours, and one with only the edits that it needs to compile. They must
// write the same clocks and merge with each other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loadMigrations } from '#main/store/sqlite/migrate.ts';
import { buildCrsqlite } from '#scripts/crsqlite/build.mjs';
import { findCompilers } from '#scripts/crsqlite/compilers.mjs';
import { edits } from '#scripts/crsqlite/edits.mjs';
import { sayOnStderr } from '#scripts/lib/processes.mjs';
import { SCHEMA_ROWS } from '#test/support/schema-rows.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const BUILD_MS = 120_000;

const compilers = await findCompilers(sayOnStderr).catch((error: Error) => error.message);
const whyNot = typeof compilers === 'string' ? ` (not run: ${compilers})` : '';

/** Values that the columns of our tables, which hold JSON text, do not have. */
const SCRATCH = `
  CREATE TABLE scratch (id INTEGER PRIMARY KEY NOT NULL, title TEXT, amount INTEGER, ratio REAL, raw BLOB);
  SELECT crsql_as_crr('main', 'scratch');`;

function open(path: string, extension: string): SQLite.Database {
  const sqlite = new SQLite(path);
  const loader = sqlite as unknown as { loadExtension(file: string, entryPoint: string): void };
  loader.loadExtension(extension, 'sqlite3_crsqlite_init');
  sqlite.defaultSafeIntegers(true);
  onTestFinished(() => close(sqlite));
  return sqlite;
}

function close(sqlite: SQLite.Database): void {
  if (!sqlite.open) return;
  sqlite.exec('SELECT crsql_finalize()');
  sqlite.close();
}

/** The real schema. Without `namesEndInNul`, crsql_as_crr works only when the schema is named. */
function create(extension: string): SQLite.Database {
  const sqlite = open(join(tempFolder(), 'test.db'), extension);
  for (const { sql } of loadMigrations()) {
    sqlite.exec(sql.replaceAll("crsql_as_crr('", "crsql_as_crr('main', '"));
  }
  sqlite.exec(SCRATCH);
  return sqlite;
}

const CHANGE = '"table", pk, cid, val, col_version, db_version, site_id, cl, seq';

function merge(from: SQLite.Database, to: SQLite.Database): void {
  const changes = from
    .prepare(`SELECT ${CHANGE} FROM crsql_changes ORDER BY db_version, seq`)
    .raw()
    .all() as unknown[][];
  const apply = to.prepare(
    `INSERT INTO crsql_changes (${CHANGE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  to.transaction(() => {
    for (const change of changes) apply.run(...change);
  })();
}

/** All that a local write records, but for the random id of the site. */
function localClocks(sqlite: SQLite.Database): unknown[] {
  return sqlite
    .prepare(
      `SELECT "table", hex(pk), cid, quote(val), col_version, db_version, cl, seq
       FROM crsql_changes ORDER BY db_version, seq, "table", hex(pk), cid`,
    )
    .raw()
    .all();
}

/** All that devices which have exchanged every change share; db_version and seq are each one's own. */
function sharedClocks(sqlite: SQLite.Database): unknown[] {
  return sqlite
    .prepare(
      `SELECT "table", hex(pk) AS key, cid, quote(val), col_version, cl, hex(site_id)
       FROM crsql_changes ORDER BY "table", key, cid`,
    )
    .raw()
    .all();
}

function rows(sqlite: SQLite.Database): { [table: string]: unknown[] } {
  const tables = sqlite
    .prepare(
      `SELECT replace(name, '__crsql_clock', '') FROM sqlite_schema
       WHERE type = 'table' AND name LIKE '%\\_\\_crsql\\_clock' ESCAPE '\\' ORDER BY 1`,
    )
    .pluck()
    .all() as string[];
  return Object.fromEntries(
    tables.map((table) => [table, sqlite.prepare(`SELECT * FROM "${table}" ORDER BY 1, 2`).all()]),
  );
}

const HISTORY = [
  ...Object.values(SCHEMA_ROWS).flat(),
  `INSERT INTO scratch VALUES (2, 'plain', 5, 0.5, x'00ff'), (200, '', 7, NULL, x''),
     (9007199254740993, 'größer', 9007199254740995, -1.25, NULL)`,
  `UPDATE scratch SET amount = amount + 1`,
  `DELETE FROM scratch WHERE id = 200`,
  `INSERT INTO scratch VALUES (200, NULL, NULL, 1e300, x'')`,
];

/** The clocks of a changed key are not merged as they are, whichever build does it. */
const CHANGED_KEY = `UPDATE scratch SET id = 5 WHERE id = 2`;

function write(sqlite: SQLite.Database, statements: readonly string[]): void {
  for (const statement of statements) sqlite.exec(statement);
}

describe.skipIf(whyNot !== '')(`two builds of cr-sqlite${whyNot}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-builds-'));
  const ours = join(folder, 'ours.so');
  const plain = join(folder, 'plain.so');

  beforeAll(async () => {
    if (typeof compilers === 'string') return;
    await buildCrsqlite({ ...compilers, outFile: ours });
    const needed = edits.filter(({ kind }) => kind === 'compile');
    await buildCrsqlite({ ...compilers, outFile: plain, edits: needed });
  }, BUILD_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('[DB-18] record the same clocks for the same writes', () => {
    const [here, there] = [create(ours), create(plain)];
    for (const sqlite of [here, there]) write(sqlite, [...HISTORY, CHANGED_KEY]);
    expect(localClocks(there)).toEqual(localClocks(here));
    expect(rows(there)).toEqual(rows(here));
    for (const [table, found] of Object.entries(rows(here))) expect(found, table).not.toEqual([]);
  });

  it.each([
    ['ours', ours, plain],
    ['the other', plain, ours],
  ])('[DB-18] merge both ways, in conflict too, what %s wrote first', (_, first, second) => {
    const [here, there] = [create(first), create(second)];
    write(here, HISTORY);
    merge(here, there);
    expectSame(here, there);
    // One column on both sides, an update against a deletion, and one key inserted twice.
    write(here, [
      `UPDATE scratch SET amount = 9, title = 'here' WHERE id = 200`,
      `DELETE FROM scratch WHERE id = 2`,
      `INSERT INTO scratch VALUES (3, 'here', 1, 1.5, x'01')`,
      `UPDATE handler_state SET value = '{"state":{"n":2}}'`,
    ]);
    write(there, [
      `UPDATE scratch SET amount = 10, ratio = 2.5 WHERE id = 200`,
      `UPDATE scratch SET title = 'there' WHERE id = 2`,
      `INSERT INTO scratch VALUES (3, 'there', 0, NULL, NULL), (4, '', 4, 4.5, x'')`,
      `UPDATE handler_state SET value = '{"state":{"n":3}}'`,
    ]);
    merge(here, there);
    merge(there, here);
    expectSame(here, there);
    expect(rows(here)['scratch']).toMatchObject([
      { id: 3n, title: 'there', amount: 1n, raw: Buffer.from([1]) },
      { id: 4n, title: '', raw: Buffer.alloc(0) },
      { id: 200n, title: 'here', amount: 10n, ratio: 2.5 },
      { id: 9007199254740993n, amount: 9007199254740996n },
    ]);
  });

  it('[DB-18] continue in the files of each other', () => {
    const [here, there] = [create(ours), create(plain)];
    write(here, HISTORY);
    merge(here, there);
    const before = [localClocks(here), localClocks(there)];
    for (const sqlite of [here, there]) close(sqlite);
    const swapped = { here: open(here.name, plain), there: open(there.name, ours) };
    expect([localClocks(swapped.here), localClocks(swapped.there)]).toEqual(before);
    write(swapped.here, [`UPDATE scratch SET title = 'again' WHERE id = 200`]);
    write(swapped.there, [`DELETE FROM scratch WHERE id = 2`]);
    merge(swapped.here, swapped.there);
    merge(swapped.there, swapped.here);
    expectSame(swapped.here, swapped.there);
  });
});

function expectSame(here: SQLite.Database, there: SQLite.Database): void {
  expect(rows(there)).toEqual(rows(here));
  expect(sharedClocks(there)).toEqual(sharedClocks(here));
}
