// Finds a Rust and a C compiler. As root on Debian, installs the missing one.

import { installPackages, mayInstallPackages } from '../lib/debian.mjs';
import { capture } from '../lib/processes.mjs';

/** @typedef {{ rustc: string, cc: string }} Compilers */

const HOW_TO_INSTALL =
  'On Debian: "apt-get install --no-install-recommends rustc-web gcc libc6-dev"; ' +
  'on macOS: "xcode-select --install" and Rust from https://rustup.rs; ' +
  'elsewhere: a C compiler and Rust 1.85 or newer from https://rustup.rs';

/** A rustup shim without a toolchain may hide Debian's rustc on the PATH, so its full path is tried too. */
const DEBIAN_RUSTC = '/usr/bin/rustc';

/**
 * @param {import('../lib/processes.mjs').Say} say
 * @returns {Promise<Compilers>} throws a sentence with the fix if one is missing
 */
export async function findCompilers(say) {
  const found = await lookForCompilers();
  if (found.rustc && found.cc) return { rustc: found.rustc, cc: found.cc };
  const mayInstall = mayInstallPackages();
  if (mayInstall) await installCompilers(found, say);

  const { rustc, cc } = await lookForCompilers(mayInstall ? [DEBIAN_RUSTC] : []);
  if (rustc && cc) return { rustc, cc };
  const missing = [rustc ? [] : 'Rust compiler (rustc)', cc ? [] : 'C compiler (cc)'].flat();
  throw new Error(`no ${missing.join(' and no ')}. ${HOW_TO_INSTALL}`);
}

/** @param {string[]} alternatives */
async function lookForCompilers(alternatives = []) {
  const [rustc, cc] = await Promise.all([
    firstThatRuns(process.env['RUSTC'] ? [process.env['RUSTC']] : ['rustc', ...alternatives]),
    firstThatRuns(process.env['CC'] ? [process.env['CC']] : ['cc', 'gcc', 'clang']),
  ]);
  return { rustc, cc };
}

/**
 * Runs each program, because rustup's `rustc` exists but fails while no toolchain is installed.
 *
 * @param {string[]} programs
 */
async function firstThatRuns(programs) {
  for (const program of programs) {
    if ((await capture(program, ['--version'])).ok) return program;
  }
  return null;
}

/**
 * @param {{ rustc: string | null, cc: string | null }} found
 * @param {import('../lib/processes.mjs').Say} say
 */
async function installCompilers(found, say) {
  const forC = found.cc ? [] : ['gcc', 'libc6-dev'];
  if (found.rustc) {
    await installPackages(forC, say);
    return;
  }
  // Debian 12's rustc is too old; its rustc-web is newer. Other releases often lack rustc-web, and
  // their rustc is new enough.
  const first = await installPackages(['rustc-web', ...forC], say);
  if (!first.ok) await installPackages(['rustc', ...forC], say);
}
