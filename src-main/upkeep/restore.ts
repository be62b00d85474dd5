// Puts a backup into the place of the database. Nothing is thrown away: what it replaces is kept
// aside, whole, with the key of the device that it was. The host that opens the folder next is a
// device of its own, because what this one did after the backup cannot be known here.
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { DATABASE_FILE, ensureWritable } from '#main/data-folder/data-folder.ts';
import { lockFolder } from '#main/data-folder/folder-lock.ts';
import { StartError } from '#main/platform/start-error.ts';
import { syncFolder } from '#main/secrets/secret-file.ts';
import { BACKUP_MARK } from '#main/store/queries/backup-mark.ts';
import { isDamaged } from '#main/store/sqlite/sqlite-errors.ts';
import { latestVersion, loadMigrations } from '#main/store/sqlite/migrate.ts';
import { removeDatabase } from '#main/store/sqlite/remove-database.ts';
import { BackupUnsound, writeBackup } from '#main/upkeep/backup-file.ts';

const OF_THE_DEVICE = ['device.json', 'device-key.json'];

export interface RestoreResult {
  /** Null: there was no database. */
  readonly keptIn: string | null;
  /** When the backup was made, as far as it says so. */
  readonly madeAt: number | null;
}

/** Throws `StartError`; then nothing was changed. */
export function restoreBackup(dir: string, file: string, at: number): RestoreResult {
  const madeAt = examine(file);
  ensureWritable(dir);
  const lock = lockFolder(dir);
  try {
    const database = join(dir, DATABASE_FILE);
    const ready = `${database}.restoring`;
    prepare(file, ready, madeAt ?? at);
    const keptIn = existsSync(database) ? keepAside(dir, database, at) : null;
    renameSync(ready, database);
    syncFolder(dir);
    return { keptIn, madeAt };
  } finally {
    lock.release();
  }
}

/** When it was made. Reads only. */
function examine(file: string): number | null {
  if (!existsSync(file)) throw refused(`There is no file ${file}.`);
  const known = latestVersion(loadMigrations());
  try {
    const sqlite = new SQLite(file, { readonly: true });
    try {
      const version = Number(sqlite.pragma('user_version', { simple: true }));
      if (version === 0) throw refused(`${file} is not a backup of Holdfast.`);
      if (version > known) {
        throw refused(
          `${file} has version ${version}; this Holdfast knows versions up to ${known}. Install the newer one first.`,
        );
      }
      const mark = sqlite.prepare('SELECT value FROM settings WHERE key = ?').pluck();
      const text = mark.get(BACKUP_MARK) as string | undefined;
      return text === undefined ? null : (JSON.parse(text) as { madeAt: number }).madeAt;
    } finally {
      sqlite.close();
    }
  } catch (error) {
    if (isDamaged(error)) throw refused(`${file} is damaged, or no database at all.`, error);
    if (error instanceof SQLite.SqliteError) {
      throw refused(`${file} is not a backup of Holdfast (${error.message}).`, error);
    }
    throw error;
  }
}

/** A copy beside the database: marked, checked, on disk. */
function prepare(file: string, ready: string, madeAt: number): void {
  removeDatabase(ready);
  try {
    writeBackup(file, ready, { madeAt });
  } catch (error) {
    if (isDamaged(error) || error instanceof BackupUnsound) {
      throw refused(`${file} is damaged.`, error);
    }
    const why = error instanceof Error ? error.message : String(error);
    throw refused(`${file} could not be copied (${why}).`, error);
  }
}

function keepAside(dir: string, database: string, at: number): string {
  const stamp = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  const aside = join(dir, `replaced-${stamp}`);
  mkdirSync(aside, { mode: 0o700 });
  emptyLog(database);
  // A log of the old file beside the new one would be read into it.
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(database + suffix))
      renameSync(database + suffix, join(aside, DATABASE_FILE + suffix));
  }
  // Not moved: a crash before the new one is in its place must find the old one there.
  linkOrCopy(database, join(aside, DATABASE_FILE));
  for (const name of OF_THE_DEVICE) {
    if (existsSync(join(dir, name))) renameSync(join(dir, name), join(aside, name));
  }
  syncFolder(aside);
  return aside;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // A file system without links.
    copyFileSync(from, to);
  }
}

/** So that the file alone is whole. Where it cannot be, for a damaged one, the log is kept with it. */
function emptyLog(database: string): void {
  try {
    const sqlite = new SQLite(database);
    try {
      sqlite.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      sqlite.close();
    }
    for (const suffix of ['-wal', '-shm']) rmSync(database + suffix, { force: true });
  } catch (error) {
    if (!(error instanceof SQLite.SqliteError)) throw error;
  }
}

function refused(why: string, cause?: unknown): StartError {
  return new StartError(
    'bad_backup',
    `${why} Nothing was changed. "holdfast backup --list" shows the backups of a data folder.`,
    { cause },
  );
}
