// One backup: a whole database in one file, made while others write, checked before it gets its
// name. Runs in a thread of its own, so it opens the database itself and knows nothing of the host.
import { chmodSync, closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import SQLite from 'better-sqlite3';
import { BACKUP_MARK, type BackupMark } from '#main/store/queries/backup-mark.ts';
import { removeDatabase } from '#main/store/sqlite/remove-database.ts';
import { syncFolder } from '#main/secrets/secret-file.ts';

/** Each page is read once; what better-sqlite3 would keep of them is 16 MB, twice. */
const SMALL_CACHE = 'cache_size = -1000';

export class BackupUnsound extends Error {
  constructor(finding: string) {
    super(`The copy is not sound: ${finding}`);
    this.name = 'BackupUnsound';
  }
}

/** Copies what `source` holds at this moment, its -wal included, into the new file `target`. */
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
  // Without the extension: nothing here writes to a synced table.
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
    // One file, complete by itself.
    sqlite.pragma('journal_mode = DELETE');
    sqlite
      .prepare('INSERT OR REPLACE INTO settings (key, value, updated_at) VALUES (?, ?, ?)')
      .run(BACKUP_MARK, JSON.stringify(mark), mark.madeAt);
    const finding = String(sqlite.pragma('integrity_check(1)', { simple: true }));
    if (finding !== 'ok') throw new BackupUnsound(finding);
  } finally {
    sqlite.close();
  }
}

/** SQLite does not do it for VACUUM INTO. */
function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
