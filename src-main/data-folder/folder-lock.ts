// One host per data folder, enforced by an exclusive SQLite lock on `host.lock`. The system releases
// it when the process ends, even after a crash, so there are no stale locks.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { z } from 'zod';
import { StartError } from '#main/platform/start-error.ts';
import { isBusy } from '#main/store/sqlite/sqlite-errors.ts';

const hostRecordSchema = z.object({
  pid: z.int(),
  startedAt: z.int(),
  /** Address of the API, once the host serves it. */
  url: z.string().optional(),
});
export type HostRecord = z.infer<typeof hostRecordSchema>;

export interface FolderLock {
  /** Writes `host.json`, from which other processes read the pid and the API's address. */
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

/** The contents of `host.json`. Outdated if the host was killed. */
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
    const who = pid === undefined ? 'Another process' : `Process ${pid}`;
    throw new StartError(
      'in_use',
      `${who} is using the data folder ${dir}. Nothing was changed. Use that process, stop it, or choose another folder with --data.`,
      { cause: error },
    );
  }
}
