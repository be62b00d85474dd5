// Makes one backup: a complete database in one file, copied while others write, and checked before it
// gets its name. Runs in a worker thread, so it opens the database itself.
import { chmodSync, closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import { BACKUP_MARK, type BackupMark } from '#main/store/queries/backup-mark.ts';
import { removeDatabase } from '#main/store/sqlite/remove-database.ts';
import { syncFolder } from '#main/secrets/secret-file.ts';

/** Each page is read once, so better-sqlite3's default caches of 16 MB would be wasted. */
const SMALL_CACHE = 'cache_size = -1000';

export class BackupDamaged extends Error {
  constructor(finding: string) {
    super(`the integrity check failed: ${finding}`);
    this.name = 'BackupDamaged';
  }
}

/** Copies the current state of `source`, including its WAL, to the new file `target`. */
export function writeBackup(source: string, target: string, mark: BackupMark): void {
  const partial = `${target}.partial`;
  removeDatabase(partial);
  try {
    copyDatabase(source, partial);
    markAndCheck(partial, mark);
    syncFile(partial);
    renameSync(partial, target);
  } catch (error) {
    removeDatabase(partial);
    throw error;
  }
  syncFolder(dirname(target));
}

function copyDatabase(source: string, target: string): void {
  // Opened without cr-sqlite, because nothing writes to a synced table here.
  const sqlite = new SQLite(source, { readonly: true, fileMustExist: true });
  try {
    sqlite.pragma(SMALL_CACHE);
    sqlite.prepare('VACUUM INTO ?').run(target);
  } finally {
    sqlite.close();
  }
  chmodSync(target, 0o600);
}

function markAndCheck(path: string, mark: BackupMark): void {
  const sqlite = new SQLite(path);
  try {
    sqlite.pragma(SMALL_CACHE);
    // Without a WAL the backup is a single file.
    sqlite.pragma('journal_mode = DELETE');
    sqlite
      .prepare('INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, ?)')
      .run(BACKUP_MARK, JSON.stringify(mark), mark.madeAt);
    // Sealed for this device, and deleted when the person's days are over: a backup could not follow.
    sqlite.exec('DELETE FROM raw_payloads; PRAGMA incremental_vacuum');
    const finding = String(sqlite.pragma('integrity_check(1)', { simple: true }));
    if (finding !== 'ok') throw new BackupDamaged(finding);
  } finally {
    sqlite.close();
  }
}

/** SQLite does not fsync after VACUUM INTO. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
