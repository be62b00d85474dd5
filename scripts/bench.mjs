// `npm run bench -- <name> [--json]`: runs bench/<name>.ts, and exits 1 when it misses a bar.

import { readdirSync } from 'node:fs';

import { runOurs } from './lib/ours.mjs';
import { inRepo } from './lib/places.mjs';
import { sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';

// Beside the benches, but none itself.
const HARNESS = 'harness';

await useRightNode(import.meta.url);
process.exitCode = await bench(process.argv.slice(2));

/**
 * @param {string[]} args the name first, the rest passed through
 * @returns {Promise<number>} exit code
 */
async function bench([name, ...args]) {
  const names = benchNames();
  if (name === undefined || !names.includes(name)) {
    const problem = name === undefined ? 'name a bench' : `there is no bench "${name}"`;
    say(`${problem}: npm run bench -- ${names.join(' | ')} [--json]`);
    return 1;
  }
  // A process of its own: what this one has loaded and done stays out of the figures.
  return runOurs(`bench/${name}.ts`, args);
}

function benchNames() {
  return readdirSync(inRepo('bench'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => entry.name.slice(0, -'.ts'.length))
    .filter((name) => name !== HARNESS)
    .toSorted();
}
