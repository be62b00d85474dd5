// A new temporary folder, removed when the test ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Registers a clean-up. A file that shares something collects them and runs them in `afterAll`. */
export type AtEnd = (cleanUp: () => void | Promise<void>) => void;

export function tempFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
