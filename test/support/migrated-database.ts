// Copies of a migrated, empty database. Running all migrations takes 40 ms, a copy less than 5.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { migrateFile } from '#main/store/sqlite/migrate.ts';

let template: string | undefined;

/** The path of a migrated, empty database. Do not write to it. */
export function migratedTemplate(): string {
  if (template !== undefined) return template;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-template-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  template = join(folder, 'template.db');
  migrateFile(template);
  return template;
}

/** A new database at `path`, with its own site id as cr-sqlite would give it. */
export function createMigratedDatabase(path: string): void {
  copyFileSync(migratedTemplate(), path);
  // Without cr-sqlite, which reads the site id once when it is loaded.
  const sqlite = new SQLite(path);
  try {
    sqlite.pragma('synchronous = OFF');
    sqlite.exec('UPDATE crsql_site_id SET site_id = randomblob(16) WHERE ordinal = 0');
  } finally {
    sqlite.close();
  }
}
