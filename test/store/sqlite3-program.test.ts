// The system's `sqlite3` program, without cr-sqlite, reads a database that the store has written.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { prepareSqlite3 } from '#scripts/sqlite3-program.mjs';
import { SCHEMA_ROWS } from '#test/support/schema-rows.ts';
import { runProgram } from '#test/support/child-processes.ts';
import { POSTER, startEngine } from '#test/support/start-engine.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const sqlite3 = await prepareSqlite3();
const label = sqlite3.ok ? sqlite3.version : `(not run: ${sqlite3.reason})`;

/** Runs one command of the program on the file and returns what it prints. */
async function run(path: string, command: string, options: string[] = []): Promise<string> {
  if (!sqlite3.ok) throw new Error(sqlite3.reason);
  const { code, stdout, stderr } = await runProgram(
    sqlite3.program,
    ['-batch', '-bail', ...options, path, command],
    tempFolder(),
  );
  expect({ code, stderr }, command).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const read = (path: string, command: string, options: string[] = []): Promise<string> =>
  run(path, command, ['-readonly', ...options]);

/** Runs of a real engine, and a row in every table that they leave empty. */
async function writeDatabase(): Promise<Database> {
  const { add, publish, runs, store, engine, kill } = startEngine();
  const workflowId = await add(POSTER);
  for (const id of ['a', 'b', 'c']) await publish(workflowId, 'in', id, { text: `Grüße ${id} 🌊` });
  expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(
    Array.from({ length: 3 }, () => 'committed'),
  );
  await engine.stop();
  kill();
  const statements = Object.values(SCHEMA_ROWS).flat();
  for (const sql of statements.filter((statement) => statement.startsWith('INSERT'))) {
    store.db.exec(sql);
  }
  return store.db;
}

/** Every column as an SQL literal, generated columns included. */
function literalsOf(db: Database, table: string): string {
  const columns = db
    .all<{ name: string }>('SELECT name FROM pragma_table_xinfo(?)', table)
    .map(({ name }) => `quote("${name}") AS "${name}"`);
  const order = columns.map((_, index) => index + 1);
  return `SELECT ${columns.join(', ')} FROM "${table}" ORDER BY ${order.join(', ')}`;
}

describe.skipIf(!sqlite3.ok)(`sqlite3 ${label}`, () => {
  it('[DB-17] reads every column of every table while the store has the file open', async () => {
    const db = await writeDatabase();
    expect(await read(db.path, 'PRAGMA integrity_check')).toBe('ok\n');
    const tables = db
      .all<{ name: string }>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
      .map(({ name }) => name);
    for (const table of tables) {
      const literals = literalsOf(db, table);
      const found = await read(db.path, literals, ['-json']);
      const rows: unknown = found === '' ? [] : JSON.parse(found);
      expect(rows, table).toEqual(db.all(literals));
    }
    expect(tables).toEqual(expect.arrayContaining(syncedTables(db)));
    const phases = `SELECT phase, count(*) FROM handler_runs GROUP BY phase ORDER BY phase`;
    expect(await read(db.path, phases)).toBe('committed|3\npending|2\n');
  });

  it('[DB-17] reads the file after the store has closed it, and parses the whole schema', async () => {
    const db = await writeDatabase();
    db.close();
    expect(await read(db.path, 'PRAGMA integrity_check')).toBe('ok\n');
    const schema = await read(db.path, '.schema --nosys');
    expect(schema).toContain('CREATE TRIGGER handler_runs_consumer_legal');
    const file = join(tempFolder(), 'schema.sql');
    writeFileSync(file, schema);
    await run(':memory:', `.read ${file}`);
  });
});
