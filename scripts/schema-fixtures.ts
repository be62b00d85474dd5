// `npm run fixtures`: a database of every level of the schema, with a row in every table, as
// test/fixtures/levels/vNN.db.gz. What is there is left as it is: it is what people have. A level
// that was not released yet can be made again: remove its file first.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Database } from '#main/store/sqlite/database.ts';
import { loadMigrations, migrateFile } from '#main/store/sqlite/migrate.ts';
import { LEVEL_ROWS } from '#test/support/schema-rows.ts';

const SHRINKS_FROM = 23;

const target = fileURLToPath(new URL('../test/fixtures/levels/', import.meta.url));
mkdirSync(target, { recursive: true });
const migrations = loadMigrations();
for (const { version } of migrations) {
  const file = join(target, `v${String(version).padStart(2, '0')}.db.gz`);
  if (existsSync(file)) continue;
  writeFileSync(file, gzipSync(databaseOf(version), { level: 9 }));
  console.log(`made ${file}`);
}

function databaseOf(version: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-level-'));
  try {
    const path = join(folder, 'level.db');
    migrateFile(path, migrations.slice(0, version));
    const database = new Database(path);
    for (let level = 1; level <= version; level += 1) {
      for (const sql of LEVEL_ROWS[level] ?? []) database.exec(sql);
    }
    // As databases were before they could give room back.
    if (version < SHRINKS_FROM) database.exec('PRAGMA auto_vacuum = 0; VACUUM');
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
