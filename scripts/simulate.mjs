// `npm run simulate [-- --seeds N] [--from S] [--seed S] [--json]`: several devices, whatever happens
// to them. Exits 1 when a promise was broken, with the shortest story that breaks it.

import { spawn } from 'node:child_process';

import { inRepo, repoRoot } from './lib/places.mjs';
import { passOn, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';

await useRightNode(import.meta.url);
process.exitCode = await simulate(process.argv.slice(2));

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
async function simulate(args) {
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite({ say });
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable)) throw error;
    say(error.message);
    return 1;
  }
  const script = inRepo('test/simulation/main.ts');
  return passOn(spawn(process.execPath, [script, ...args], { cwd: repoRoot, stdio: 'inherit' }));
}
