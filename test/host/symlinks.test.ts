// Data folders and databases behind symbolic links: lock, WAL and marks are those of the real files.
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DATABASE_FILE, openDataFolder, type DataFolder } from '#main/data-folder/data-folder.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { fsyncWal } from '#main/store/sqlite/wal-fsync.ts';
import { restoreBackup } from '#main/upkeep/restore.ts';
import { loadMigrations } from '#main/store/sqlite/migrate.ts';
import { filesOpenIn } from '#test/support/files-open-in.ts';
import { setLevel } from '#test/support/set-level.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function open(dir: string): DataFolder {
  const ids = createSystemIds(systemClock);
  const folder = openDataFolder({ dir, clock: systemClock, ids });
  onTestFinished(() => {
    if (folder.db.isOpen) folder.close();
  });
  return folder;
}

/** A data folder whose database is a link to another folder. */
function linkedDatabase(): { dir: string; real: string } {
  const [dir, elsewhere] = [tempFolder(), tempFolder()];
  open(dir).close();
  const real = join(elsewhere, 'real.db');
  renameSync(join(dir, DATABASE_FILE), real);
  symlinkSync(real, join(dir, DATABASE_FILE));
  return { dir, real };
}

describe('symbolic links', () => {
  it('[DF-8] the WAL of a linked database is the one that is fsynced', async () => {
    const { dir, real } = linkedDatabase();
    const { db } = open(dir);
    db.write(() => db.run(`INSERT INTO settings VALUES ('k', '1', 1)`));
    await db.fsync();
    expect(db.path).toBe(real);
    const wals = filesOpenIn(join(real, '..')).filter((file) => basename(file) === 'real.db-wal');
    expect(wals, 'SQLite has it open, and so have we').toHaveLength(2);
    expect(existsSync(join(dir, 'holdfast.db-wal'))).toBe(false);
    fsyncWal(join(dir, DATABASE_FILE));
  });

  it('[DF-8] a database that is opened through a link fsyncs the WAL of the real file', async () => {
    const { dir, real } = linkedDatabase();
    const db = new Database(join(dir, DATABASE_FILE));
    onTestFinished(() => db.close());
    db.write(() => db.run(`INSERT INTO settings VALUES ('k', '1', 1)`));
    await db.fsync();
    expect(db.path).toBe(real);
  });

  it('[DF-8] a folder is locked under each of its names', () => {
    const dir = tempFolder();
    const link = join(tempFolder(), 'link');
    symlinkSync(dir, link);
    const folder = open(link);
    expect(folder.dir).toBe(dir);
    expect(folder.db.path).toBe(join(dir, DATABASE_FILE));
    expect(() => open(dir)).toThrow('is using the data folder');
  });

  it('[DF-8] a migration and a restore replace the real database, not the link', () => {
    const { dir, real } = linkedDatabase();
    const level = loadMigrations().length;
    setLevel(real, level - 1);
    const ids = createSystemIds(systemClock);
    const last = { version: level, name: 'same', sql: '' };
    const folder = openDataFolder({ dir, clock: systemClock, ids, migrations: [last] });
    folder.close();
    expect(lstatSync(join(dir, DATABASE_FILE)).isSymbolicLink()).toBe(true);
    const [backup = ''] = readdirSync(join(dir, 'backups'));
    mkdirSync(join(dir, 'saved'));
    renameSync(join(dir, 'backups', backup), join(dir, 'saved', backup));
    setLevel(join(dir, 'saved', backup), level);
    restoreBackup(dir, join(dir, 'saved', backup), Date.now());
    expect(lstatSync(join(dir, DATABASE_FILE)).isSymbolicLink()).toBe(true);
    expect(open(dir).identity.renewed).toBe('backup restored');
  });

  it('[DF-9] SQLite flushes the disk cache', () => {
    const { db } = open(tempFolder());
    expect([db.pragma('fullfsync'), db.pragma('checkpoint_fullfsync')]).toEqual([1, 1]);
  });
});
