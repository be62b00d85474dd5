// `npm run bench -- <name> [--json]`: runs bench/<name>.ts, and exits 1 when it misses a bar.

import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';

import { inRepo, repoRoot } from './lib/places.mjs';
import { passOn, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';

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
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite({ say });
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable)) throw error;
    say(error.message);
    return 1;
  }
  // A process of its own: what this one has loaded and done stays out of the figures.
  const script = inRepo('bench', `${name}.ts`);
  return passOn(spawn(process.execPath, [script, ...args], { cwd: repoRoot, stdio: 'inherit' }));
}

function benchNames() {
  return readdirSync(inRepo('bench'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => entry.name.slice(0, -'.ts'.length))
    .filter((name) => name !== HARNESS)
    .toSorted();
}
