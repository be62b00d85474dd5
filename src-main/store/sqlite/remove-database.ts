import { rmSync } from 'node:fs';

/** The file and all that SQLite keeps beside it. Nobody may have it open. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
