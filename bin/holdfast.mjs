#!/usr/bin/env node
// The `holdfast` command, in a checkout and in an installed package. It prepares the required Node,
// cr-sqlite and, for `serve`, the window's files, then runs src-main/cli. A package contains that
// code compiled, because Node does not run TypeScript from node_modules.

import module from 'node:module';

import { BuildFailed, ensureBuilt } from '../scripts/lib/build.mjs';
import { cacheFolder, isCheckout } from '../scripts/lib/paths.mjs';
import { sayOnStderr } from '../scripts/lib/processes.mjs';
import { useRightNode } from '../scripts/lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from '../scripts/setup-crsqlite.mjs';

await useRightNode(import.meta.url);

/** In packages only. A variable, so that type checking and bundling don't resolve it. */
const BUILT = new URL('../out/main/cli.js', import.meta.url).href;

const args = process.argv.slice(2);
if (await prepare(args)) {
  // The compile cache halves the start-up time of the next command.
  module.enableCompileCache?.(cacheFolder('compile'));
  const { main } = isCheckout ? await import('../src-main/cli/main.ts') : await import(BUILT);
  // process.exit() would lose pending writes and unread output.
  process.exitCode = await main(args);
} else {
  process.exitCode = 1;
}

/**
 * @param {string[]} argv
 * @returns {Promise<boolean>} whether the command can run
 */
async function prepare(argv) {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const has = (/** @type {string[]} */ ...names) => names.some((name) => words.includes(name));
  // Help and version need none of this.
  if (words.length === 0 || has('--help', '-h', 'help', '--version', '-V')) return true;
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite();
    if (has('serve') && isCheckout) await ensureBuilt();
    return true;
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable || error instanceof BuildFailed)) throw error;
    // The doctor runs without cr-sqlite and reports the problem.
    if (has('doctor')) {
      process.env['HOLDFAST_CRSQLITE_PROBLEM'] = error.message;
      return true;
    }
    sayOnStderr(error.message);
    return false;
  }
}
