// Where the code of a thread lies: beside its own file when run from source; in a build beside
// main.js, which may be one folder up when this code went into a chunk.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `source`: relative to `base`; `built`: as electron.vite.config.ts names it. */
export function workerFile(base: string, source: string, built: string): URL {
  const found = [source, `./${built}`, `../${built}`]
    .map((name) => new URL(name, base))
    .find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new Error(`The thread ${built} is missing from this build.`);
  return found;
}
