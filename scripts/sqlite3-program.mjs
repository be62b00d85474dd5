// The system's `sqlite3` program, which the tests read our database with. On Debian it comes from
// the package of the same name. Without it, the tests say "not run" and why.

import { installPackages, mayInstallPackages } from './lib/debian.mjs';
import { capture, findProgram, sayOnStderr } from './lib/processes.mjs';

/** The version of Debian 12. Older ones cannot parse all of our schema. */
const OLDEST = [3, 40];

/**
 * @param {{ say?: import('./lib/processes.mjs').Say }} [options]
 * @returns {Promise<{ ok: true, program: string, version: string } | { ok: false, reason: string }>}
 */
export async function prepareSqlite3({ say = sayOnStderr } = {}) {
  if (findProgram('sqlite3') === null) {
    if (!mayInstallPackages()) {
      return { ok: false, reason: 'there is no sqlite3 program; install the package sqlite3.' };
    }
    const installed = await installPackages(['sqlite3'], say);
    if (!installed.ok) {
      return { ok: false, reason: `there is no sqlite3 program, and ${installed.reason}.` };
    }
  }
  const program = findProgram('sqlite3');
  if (program === null) return { ok: false, reason: 'the package sqlite3 has no such program.' };
  const version = /^\d+\.\d+\.\d+/.exec((await capture(program, ['--version'])).stdout)?.[0];
  if (version === undefined) return { ok: false, reason: `${program} does not say its version.` };
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
    ? { ok: true, program, version }
    : { ok: false, reason: `sqlite3 ${version} is older than ${OLDEST.join('.')}.` };
}
