// Starts a script of ours that needs cr-sqlite, in a process of its own.

import { spawn } from 'node:child_process';

import { CrsqliteUnavailable, ensureCrsqlite } from '../setup-crsqlite.mjs';
import { inRepo, repoRoot } from './places.mjs';
import { passOn, sayOnStderr as say } from './processes.mjs';

/**
 * Makes cr-sqlite known to this process and those that it starts.
 *
 * @returns {Promise<boolean>} false: it cannot be had, and that was said
 */
export async function haveCrsqlite() {
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
 * @param {string} script from the root of the repository
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
export async function runOurs(script, args) {
  if (!(await haveCrsqlite())) return 1;
  const all = [inRepo(script), ...args];
  return passOn(spawn(process.execPath, all, { cwd: repoRoot, stdio: 'inherit' }));
}
