// `npm run fixtures`: makes one database per schema version, with a row in every table, as
// test/fixtures/levels/vNN.db.gz. Existing files stay, because they stand for databases that people
// have. To make a version again that was not released yet, remove its file first.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Database } from '#main/store/sqlite/database.ts';
import { loadMigrations, migrateFile } from '#main/store/sqlite/migrate.ts';
import { SCHEMA_ROWS } from '#test/support/schema-rows.ts';

/** Version from which databases use incremental vacuum. */
const INCREMENTAL_VACUUM_SINCE = 23;

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
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fixture-'));
  try {
    const path = join(folder, 'fixture.db');
    migrateFile(path, migrations.slice(0, version));
    const database = new Database(path);
    for (let added = 1; added <= version; added += 1) {
      for (const sql of SCHEMA_ROWS[added] ?? []) database.exec(sql);
    }
    if (version < INCREMENTAL_VACUUM_SINCE) database.exec('PRAGMA auto_vacuum = 0; VACUUM');
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
