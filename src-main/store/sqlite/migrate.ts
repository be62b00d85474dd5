// Numbered SQL files, forward only. They run on a copy: the copy takes the old file's place only
// when every one of them has passed, and the old file stays as a backup.
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
import { Database } from '#main/store/sqlite/database.ts';
import { removeDatabase } from '#main/store/sqlite/remove-database.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import { MIGRATION_BACKUPS_KEPT } from '#shared/limits.ts';

/** Not those that were made on request or daily: they have a rule of their own. */
const MIGRATION_BACKUP = /^\d{4}-.*-v\d+\.db$/;

/** As SQLite numbers it. */
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
      `The database could not be brought to version ${migration.version} (${migration.name}): ${why}. It was left as it was. Go on with the Holdfast version you had, and report this.`,
      { cause },
    );
    this.name = 'MigrationError';
    this.migration = migration.name;
  }
}

export class FutureDatabaseError extends Error {
  constructor(path: string, found: number, known: number) {
    super(
      `The database ${path} has version ${found}; this Holdfast knows versions up to ${known}. It was not touched. Install the newer Holdfast that made it.`,
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
      throw new Error(`Migration ${file} should have number ${index + 1}.`);
    return { version, name: basename(file, '.sql'), sql: readFileSync(join(folder, file), 'utf8') };
  });
}

export function latestVersion(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

export interface MigrateResult {
  readonly from: number;
  readonly to: number;
  /** The file as it was, when there was one and it was changed. */
  readonly backup: string | null;
}

/** Brings the file at `path` to the latest version. Nobody else may have it open. */
export function migrateFile(
  path: string,
  migrations: readonly Migration[] = loadMigrations(),
  at = Date.now(),
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
  // Its owner's alone; SQLite gives the -wal and -shm the same rights.
  chmodSync(copy, 0o600);
  try {
    applyMigrations(copy, migrations, from);
  } catch (error) {
    removeDatabase(copy);
    throw error;
  }
  const backup = isNew ? null : keepBackup(path, from, at);
  renameSync(copy, path);
  return { from, to, backup };
}

/** Without the extension, which writes its own tables: a file from the future stays untouched. */
function versionOf(path: string): number {
  const sqlite = new SQLite(path);
  try {
    // Reads the schema as well: a damaged file shows itself here, before anything is written.
    sqlite.prepare('SELECT count(*) FROM sqlite_schema').get();
    // What a crash left in the -wal goes into the file: from here on the file alone is whole.
    sqlite.pragma('wal_checkpoint(TRUNCATE)');
    return Number(sqlite.pragma('user_version', { simple: true }));
  } finally {
    sqlite.close();
  }
}

function applyMigrations(path: string, migrations: readonly Migration[], from: number): void {
  const database = new Database(path);
  try {
    letShrink(database);
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

/** Room that archived history leaves can be given back without copying the whole file. */
function letShrink(database: Database): void {
  if (Number(database.pragma('auto_vacuum')) === INCREMENTAL) return;
  database.pragma(`auto_vacuum = ${INCREMENTAL}`);
  database.exec('VACUUM');
}

function keepBackup(path: string, version: number, at: number): string {
  const folder = join(dirname(path), 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stamp = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  const backup = join(folder, `${stamp}-v${version}.db`);
  copyFileSync(path, backup);
  const old = readdirSync(folder)
    .filter((file) => MIGRATION_BACKUP.test(file))
    .toSorted()
    .slice(0, -MIGRATION_BACKUPS_KEPT);
  for (const file of old) rmSync(join(folder, file));
  return backup;
}
