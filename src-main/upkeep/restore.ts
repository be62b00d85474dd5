// Replaces the database with a backup. The replaced database is saved together with the device key.
// The next host that opens the folder is a new device, because what this one did after the backup is
// unknown.
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { DATABASE_FILE, ensureWritable, realDatabase } from '#main/data-folder/data-folder.ts';
import { lockFolder } from '#main/data-folder/folder-lock.ts';
import { StartError } from '#main/platform/start-error.ts';
import { syncFolder } from '#main/secrets/secret-file.ts';
import { BACKUP_MARK } from '#main/store/queries/backup-mark.ts';
import { isDamaged } from '#main/store/sqlite/sqlite-errors.ts';
import { latestVersion, loadMigrations } from '#main/store/sqlite/migrate.ts';
import { removeDatabase } from '#main/store/sqlite/remove-database.ts';
import { BackupDamaged, writeBackup } from '#main/upkeep/backup-file.ts';

const DEVICE_FILES = ['device.json', 'device-key.json'];

export interface RestoreResult {
  /** The folder with the replaced database, or null if there was none. */
  readonly savedIn: string | null;
  /** When the backup was made, if it says so. */
  readonly madeAt: number | null;
}

/** Throws `StartError`, and then has changed nothing. */
export function restoreBackup(dir: string, file: string, at: number): RestoreResult {
  const madeAt = readMadeAt(file);
  ensureWritable(dir);
  const lock = lockFolder(dir);
  try {
    const database = realDatabase(dir);
    const ready = `${database}.restoring`;
    prepare(file, ready, madeAt ?? at);
    const savedIn = existsSync(database) ? saveReplaced(dir, database, at) : null;
    renameSync(ready, database);
    syncFolder(dir);
    return { savedIn, madeAt };
  } finally {
    lock.release();
  }
}

/** Checks that the file is a backup and returns when it was made. Read-only. */
function readMadeAt(file: string): number | null {
  if (!existsSync(file)) throw refused(`There is no file ${file}.`);
  const known = latestVersion(loadMigrations());
  try {
    const sqlite = new SQLite(file, { readonly: true });
    try {
      const version = Number(sqlite.pragma('user_version', { simple: true }));
      if (version === 0) throw refused(`${file} is not a Holdfast backup.`);
      if (version > known) {
        throw refused(
          `${file} has version ${version}; this Holdfast supports versions up to ${known}. Install the newer Holdfast first.`,
        );
      }
      const mark = sqlite.prepare('SELECT value FROM settings WHERE key = ?').pluck();
      const text = mark.get(BACKUP_MARK) as string | undefined;
      return text === undefined ? null : (JSON.parse(text) as { madeAt: number }).madeAt;
    } finally {
      sqlite.close();
    }
  } catch (error) {
    if (isDamaged(error)) throw refused(`${file} is damaged or not a database.`, error);
    if (error instanceof SQLite.SqliteError) {
      throw refused(`${file} is not a Holdfast backup (${error.message}).`, error);
    }
    throw error;
  }
}

/** Makes a verified, fsynced copy next to the database. */
function prepare(file: string, ready: string, madeAt: number): void {
  removeDatabase(ready);
  try {
    writeBackup(file, ready, { madeAt });
  } catch (error) {
    if (isDamaged(error) || error instanceof BackupDamaged) {
      throw refused(`${file} is damaged.`, error);
    }
    const why = error instanceof Error ? error.message : String(error);
    throw refused(`Could not copy ${file} (${why}).`, error);
  }
}

function saveReplaced(dir: string, database: string, at: number): string {
  const stamp = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  const saved = join(dir, `replaced-${stamp}`);
  mkdirSync(saved, { mode: 0o700 });
  truncateWal(database);
  // SQLite would apply a leftover WAL to the restored database.
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(database + suffix))
      renameSync(database + suffix, join(saved, DATABASE_FILE + suffix));
  }
  // Linked, not moved: after a crash before the rename, the old database is still in place.
  linkOrCopy(database, join(saved, DATABASE_FILE));
  for (const name of DEVICE_FILES) {
    if (existsSync(join(dir, name))) renameSync(join(dir, name), join(saved, name));
  }
  syncFolder(saved);
  return saved;
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // The file system has no hard links.
    copyFileSync(from, to);
  }
}

/** Checkpoints the WAL into the file. The WAL of a damaged database stays and is saved with it. */
function truncateWal(database: string): void {
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
    `${why} Nothing was changed. "holdfast backup --list" lists the backups of a data folder.`,
    { cause },
  );
}
