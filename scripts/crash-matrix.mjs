// `npm run crash-matrix [-- --json] [-- --only TEXT] [-- --kills]`: pulls the plug everywhere, and
// exits 1 when an effect happened twice, got lost, or a run did not end.

import { spawn } from 'node:child_process';

import { inRepo, repoRoot } from './lib/places.mjs';
import { passOn, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';

await useRightNode(import.meta.url);
process.exitCode = await crashMatrix(process.argv.slice(2));

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
async function crashMatrix(args) {
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite({ say });
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable)) throw error;
    say(error.message);
    return 1;
  }
  const script = inRepo('test/crash/matrix/matrix.ts');
  return passOn(spawn(process.execPath, [script, ...args], { cwd: repoRoot, stdio: 'inherit' }));
}
