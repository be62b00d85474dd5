// Runs the numbered SQL migrations, forward only, on a copy of the database. The copy replaces the
// file only after all migrations passed; the old file is saved as a backup.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { BACKUP_MARK } from '#main/store/queries/backup-mark.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { removeDatabase } from '#main/store/sqlite/remove-database.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import { MAX_MIGRATION_BACKUPS } from '#shared/limits.ts';

/** Excludes daily and requested backups, which have their own retention. */
const MIGRATION_BACKUP = /^\d{4}-.*-v\d+\.db$/;

/** SQLite's number for `auto_vacuum = INCREMENTAL`. */
const INCREMENTAL = 2;

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export class MigrationError extends Error {
  readonly migration: string;

  constructor(migration: Migration, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `Could not migrate the database to version ${migration.version} (${migration.name}): ${why}. The database was not changed. Use your previous version of Holdfast, and report this.`,
      { cause },
    );
    this.name = 'MigrationError';
    this.migration = migration.name;
  }
}

export class FutureDatabaseError extends Error {
  constructor(path: string, found: number, known: number) {
    super(
      `The database ${path} has version ${found}; this version of Holdfast supports versions up to ${known}. It was not changed. Install the newer version of Holdfast that wrote it.`,
    );
    this.name = 'FutureDatabaseError';
  }
}

export function loadMigrations(folder = join(packageRoot(), 'migrations')): Migration[] {
  const files = readdirSync(folder)
    .filter((file) => /^\d{4}_\w+\.sql$/.test(file))
    .toSorted();
  return files.map((file, index) => {
    const version = Number(file.slice(0, 4));
    if (version !== index + 1)
      throw new Error(`Migration ${file} must have the number ${index + 1}.`);
    return { version, name: basename(file, '.sql'), sql: readFileSync(join(folder, file), 'utf8') };
  });
}

export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

export interface MigrateResult {
  readonly from: number;
  readonly to: number;
  /** Path of the saved old file; null when the database is new or was not changed. */
  readonly backup: string | null;
}

/** Migrates the file at `path` to the latest version. It must not be open elsewhere. */
export function migrateFile(
  path: string,
  migrations: readonly Migration[] = loadMigrations(),
  at = Date.now(),
  backups = join(dirname(path), 'backups'),
): MigrateResult {
  const to = latestVersion(migrations);
  const isNew = !existsSync(path);
  const from = isNew ? 0 : versionOf(path);
  if (from > to) throw new FutureDatabaseError(path, from, to);
  if (from === to) return { from, to, backup: null };

  const copy = `${path}.migrating`;
  removeDatabase(copy);
  if (isNew) writeFileSync(copy, '');
  else copyFileSync(path, copy);
  // SQLite gives the -wal and -shm files the permissions of the database.
  chmodSync(copy, 0o600);
  try {
    applyMigrations(copy, migrations, from);
  } catch (error) {
    removeDatabase(copy);
    throw error;
  }
  const backup = isNew ? null : backUp(path, backups, from, at);
  renameSync(copy, path);
  return { from, to, backup };
}

/** Opens the file without cr-sqlite, which would write to it: a newer database must not change. */
function versionOf(path: string): number {
  const sqlite = new SQLite(path);
  try {
    // Reading the schema detects a damaged file before anything is written.
    sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
    // A crash may have left commits in the WAL; the copy is made of the database file alone.
    sqlite.pragma('wal_checkpoint(TRUNCATE)');
    return Number(sqlite.pragma('user_version', { simple: true }));
  } finally {
    sqlite.close();
  }
}

function applyMigrations(path: string, migrations: readonly Migration[], from: number): void {
  const database = new Database(path);
  try {
    enableIncrementalVacuum(database);
    for (const migration of migrations.filter(({ version }) => version > from)) {
      try {
        database.write(() => {
          database.exec(migration.sql);
          database.exec(`PRAGMA user_version = ${migration.version}`);
        });
      } catch (error) {
        throw new MigrationError(migration, error);
      }
    }
  } finally {
    database.close();
  }
}

/** Lets the file shrink after archiving without copying the whole database. */
function enableIncrementalVacuum(database: Database): void {
  if (Number(database.pragma('auto_vacuum')) === INCREMENTAL) return;
  database.pragma(`auto_vacuum = ${INCREMENTAL}`);
  database.exec('VACUUM');
}

function backUp(path: string, folder: string, version: number, at: number): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  const backup = join(folder, `${stamp}-v${version}.db`);
  copyFileSync(path, backup);
  markAsBackup(backup, at);
  const old = readdirSync(folder)
    .filter((file) => MIGRATION_BACKUP.test(file))
    .toSorted()
    .slice(0, -MAX_MIGRATION_BACKUPS);
  for (const file of old) rmSync(join(folder, file));
  return backup;
}

/** Lets a host recognize the file as a backup, even if a person copies it back by hand. */
function markAsBackup(path: string, at: number): void {
  const sqlite = new SQLite(path);
  try {
    // Without a WAL the backup is a single file.
    sqlite.pragma('journal_mode = DELETE');
    sqlite
      .prepare('INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, ?)')
      .run(BACKUP_MARK, JSON.stringify({ madeAt: at }), at);
  } finally {
    sqlite.close();
  }
}
