// Finds a Rust and a C compiler, and on a Debian system where we are root fetches what is missing.

import { installPackages, mayInstallPackages } from '../lib/debian.mjs';
import { capture } from '../lib/processes.mjs';

/** @typedef {{ rustc: string, cc: string }} Compilers */

const HOW_TO_INSTALL =
  'On Debian: "apt-get install --no-install-recommends rustc-web gcc libc6-dev"; ' +
  'on macOS: "xcode-select --install" and Rust from https://rustup.rs; ' +
  'elsewhere: a C compiler and Rust 1.85 or newer from https://rustup.rs';

/** Where the package puts it: on the path, rustup's may stand before it and have no toolchain. */
const OF_THE_PACKAGE = '/usr/bin/rustc';

/** Whether both are here, without anything being fetched. */
export async function hasCompilers() {
  const { rustc, cc } = await lookForCompilers();
  return rustc !== null && cc !== null;
}

/**
 * @param {import('../lib/processes.mjs').Say} say
 * @returns {Promise<Compilers>} throws a sentence with the fix when there are none to be had
 */
export async function findCompilers(say) {
  const found = await lookForCompilers();
  if (found.rustc && found.cc) return { rustc: found.rustc, cc: found.cc };
  const mayInstall = mayInstallPackages();
  if (mayInstall) await installCompilers(found, say);

  const { rustc, cc } = await lookForCompilers(mayInstall ? [OF_THE_PACKAGE] : []);
  if (rustc && cc) return { rustc, cc };
  const missing = [rustc ? [] : 'Rust compiler (rustc)', cc ? [] : 'C compiler (cc)'].flat();
  throw new Error(`there is no ${missing.join(' and no ')}. ${HOW_TO_INSTALL}`);
}

/** @param {string[]} moreOfRust */
async function lookForCompilers(moreOfRust = []) {
  const [rustc, cc] = await Promise.all([
    firstThatRuns(process.env['RUSTC'] ? [process.env['RUSTC']] : ['rustc', ...moreOfRust]),
    firstThatRuns(process.env['CC'] ? [process.env['CC']] : ['cc', 'gcc', 'clang']),
  ]);
  return { rustc, cc };
}

/**
 * Runs them, as rustup leaves a `rustc` that only says that no toolchain was chosen.
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
  // Debian 12's plain rustc is too old; rustc-web is the newer one kept for browsers. Elsewhere
  // the plain one is new enough, and rustc-web is often not there.
  const first = await installPackages(['rustc-web', ...forC], say);
  if (!first.ok) await installPackages(['rustc', ...forC], say);
}
