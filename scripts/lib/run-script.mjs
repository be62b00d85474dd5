// Runs one of our TypeScript programs in a child process, with cr-sqlite prepared.

import { spawn } from 'node:child_process';

import { CrsqliteUnavailable, ensureCrsqlite } from '../setup-crsqlite.mjs';
import { inRepo, repoRoot } from './paths.mjs';
import { superviseChild, sayOnStderr as say } from './processes.mjs';

/**
 * Sets HOLDFAST_CRSQLITE for this process and its children.
 *
 * @returns {Promise<boolean>} false if cr-sqlite is unavailable; the reason was printed
 */
export async function prepareCrsqlite() {
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite({ say });
    return true;
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable)) throw error;
    say(error.message);
    return false;
  }
}

/**
 * @param {string} script relative to the repository root
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
export async function runScript(script, args) {
  if (!(await prepareCrsqlite())) return 1;
  return superviseChild(
    spawn(process.execPath, [inRepo(script), ...args], { cwd: repoRoot, stdio: 'inherit' }),
  );
}
