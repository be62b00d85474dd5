// Copies of a migrated, empty database. Running all migrations takes 40 ms, a copy less than 5.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import { hashOf } from '#scripts/lib/build.mjs';
import { cacheFolder } from '#scripts/lib/paths.mjs';

/** The template is made again when one of these changes. */
const INPUTS = ['migrations', 'package-lock.json', 'scripts/crsqlite', 'src-main/store/sqlite'];
const OUTDATED_MS = 24 * 60 * 60 * 1000;

let template: string | undefined;

/** The path of a migrated, empty database, shared by all tests. Do not write to it. */
export function migratedTemplate(): string {
  template ??= cachedTemplate();
  return template;
}

function cachedTemplate(): string {
  const folder = cacheFolder('test-database');
  const path = join(folder, `${hashOf(INPUTS).slice(0, 16)}.db`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  removeOutdated(folder);
  // Several test files may do this at the same time; the rename is atomic.
  const unfinished = `${path}.${process.pid}`;
  migrateFile(unfinished);
  renameSync(unfinished, path);
  return path;
}

function removeOutdated(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > OUTDATED_MS) rmSync(path, { force: true });
  }
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
