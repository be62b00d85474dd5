// `npm run runner-stress [-- --json] [-- --jobs N] [-- --kills N]`: many real scripts, and
// exits 1 when a job did not end, ran twice, left a process or lost a part of its log.

import { spawn } from 'node:child_process';

import { inRepo, repoRoot } from './lib/places.mjs';
import { passOn, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';

await useRightNode(import.meta.url);
process.exitCode = await runnerStress(process.argv.slice(2));

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
async function runnerStress(args) {
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite({ say });
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable)) throw error;
    say(error.message);
    return 1;
  }
  const script = inRepo('test/runner/stress/stress.ts');
  return passOn(spawn(process.execPath, [script, ...args], { cwd: repoRoot, stdio: 'inherit' }));
}
