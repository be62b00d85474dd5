import { rmSync } from 'node:fs';

/** Deletes a database with its journal, WAL and shared-memory files. It must not be open. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
