// One host per data folder. The lock is SQLite's own lock on a file of its own: the system lets
// go of it when the process ends, however it ends, so there is no stale lock to guess about.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { z } from 'zod';
import { StartError } from '#main/platform/start-error.ts';
import { isBusy } from '#main/store/sqlite/sqlite-errors.ts';

const hostRecordSchema = z.object({
  pid: z.int(),
  startedAt: z.int(),
  /** Where the host answers, once it does. */
  url: z.string().optional(),
});
export type HostRecord = z.infer<typeof hostRecordSchema>;

export interface FolderLock {
  /** Tells others which process this is and where it answers. */
  announce(record: HostRecord): void;
  release(): void;
}

export function lockFolder(dir: string): FolderLock {
  const sqlite = takeLock(dir);
  const recordPath = join(dir, 'host.json');
  return {
    announce: (record) => writeFileSync(recordPath, JSON.stringify(record), { mode: 0o600 }),
    release: () => {
      rmSync(recordPath, { force: true });
      sqlite.close();
    },
  };
}

/** What the host of this folder says of itself. May be out of date when the host was killed. */
export function readHostRecord(dir: string): HostRecord | undefined {
  try {
    return hostRecordSchema.parse(JSON.parse(readFileSync(join(dir, 'host.json'), 'utf8')));
  } catch {
    return undefined;
  }
}

export function isFolderLocked(dir: string): boolean {
  try {
    takeLock(dir).close();
    return false;
  } catch (error) {
    if (error instanceof StartError && error.type === 'in_use') return true;
    throw error;
  }
}

function takeLock(dir: string): SQLite.Database {
  const sqlite = new SQLite(join(dir, 'host.lock'), { timeout: 0 });
  try {
    sqlite.pragma('journal_mode = DELETE');
    sqlite.exec('BEGIN EXCLUSIVE');
    return sqlite;
  } catch (error) {
    sqlite.close();
    if (!isBusy(error)) throw error;
    const pid = readHostRecord(dir)?.pid;
    const who = pid === undefined ? 'Another process' : `The process ${pid}`;
    throw new StartError(
      'in_use',
      `${who} has the data folder ${dir} open. Nothing was changed. Use that one, end it, or choose another folder with --data.`,
      { cause: error },
    );
  }
}
