// `npm run bench -- <name> [--json]`: runs bench/<name>.ts, and exits 1 when it misses a bar.

import { readdirSync } from 'node:fs';

import { runScript } from './lib/run-script.mjs';
import { inRepo } from './lib/paths.mjs';
import { sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';

// Files beside the benches that are not benches.
const SHARED = ['harness', 'steal-time'];

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
  // A fresh process, so that nothing loaded here affects the figures.
  return runScript(`bench/${name}.ts`, args);
}

function benchNames() {
  return readdirSync(inRepo('bench'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => entry.name.slice(0, -'.ts'.length))
    .filter((name) => !SHARED.includes(name))
    .toSorted();
}
