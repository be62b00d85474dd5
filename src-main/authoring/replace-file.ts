// Atomic writes of a person's files: at any time the file has the old text or the new one.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Replaces the content and preserves the permissions. */
export function replaceFile(path: string, text: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  withWritten(path, text, mode, (fresh) => renameSync(fresh, path));
}

/** False if the file already exists; it is not changed. */
export function createFile(path: string, text: string): boolean {
  return withWritten(path, text, undefined, (fresh) => {
    try {
      // Unlike a rename, a link never overwrites a file.
      linkSync(fresh, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(fresh, { force: true });
    }
  });
}

function withWritten<T>(
  path: string,
  text: string,
  mode: number | undefined,
  place: (fresh: string) => T,
): T {
  const fresh = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = openSync(fresh, 'wx', 0o600);
    try {
      writeSync(file, text);
      if (mode !== undefined) fchmodSync(file, mode & 0o777);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return place(fresh);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
