// Finds the file of a worker thread: next to the importing module when run from source, next to
// main.js in a build, and one folder up if the bundler moved this code into a chunk.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `source`: relative to `base`; `built`: as electron.vite.config.ts names it. */
export function workerFile(base: string, source: string, built: string): URL {
  const found = [source, `./${built}`, `../${built}`]
    .map((name) => new URL(name, base))
    .find((url) => existsSync(fileURLToPath(url)));
  if (!found) throw new Error(`The worker file ${built} is missing from this build.`);
  return found;
}
