// Where a thread begins: beside this file when run from source; in a build beside main.js, which
// may be one folder up when this code went into a chunk.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const CANDIDATES = ['./worker.ts', './sandbox-worker.js', '../sandbox-worker.js'];

export function workerEntry(base: string = import.meta.url): URL {
  const found = CANDIDATES.map((name) => new URL(name, base)).find((url) =>
    existsSync(fileURLToPath(url)),
  );
  if (!found) throw new Error('The entry of the sandbox threads is missing from this build.');
  return found;
}
