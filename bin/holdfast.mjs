#!/usr/bin/env node
// The `holdfast` command, in a checkout and in an installed package. Only what must happen before our
// own code can run is here: the right Node, cr-sqlite, and for `serve` the window's files. Everything
// else is in src-main/cli, which a package has built: Node takes no TypeScript from node_modules.

import module from 'node:module';

import { BuildFailed, ensureBuilt } from '../scripts/lib/build.mjs';
import { cacheFolder, isCheckout } from '../scripts/lib/paths.mjs';
import { sayOnStderr } from '../scripts/lib/processes.mjs';
import { useRightNode } from '../scripts/lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from '../scripts/setup-crsqlite.mjs';

await useRightNode(import.meta.url);

/** Not in a checkout; so it is not looked for where there is none. */
const BUILT = new URL('../out/main/cli.js', import.meta.url).href;

const args = process.argv.slice(2);
if (await prepare(args)) {
  // Keeps the compiled files: the next command answers in half the time.
  module.enableCompileCache?.(cacheFolder('compile'));
  const { main } = isCheckout ? await import('../src-main/cli/main.ts') : await import(BUILT);
  // Not process.exit(): it would cut off a server's last writes and unread output.
  process.exitCode = await main(args);
} else {
  process.exitCode = 1;
}

/**
 * @param {string[]} argv
 * @returns {Promise<boolean>} whether the command can go on
 */
async function prepare(argv) {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const asks = (/** @type {string[]} */ ...names) => names.some((name) => words.includes(name));
  // A question about Holdfast itself is answered at once, whatever state the machine is in.
  if (words.length === 0 || asks('--help', '-h', 'help', '--version', '-V')) return true;
  try {
    process.env['HOLDFAST_CRSQLITE'] = await ensureCrsqlite();
    if (asks('serve') && isCheckout) await ensureBuilt();
    return true;
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable || error instanceof BuildFailed)) throw error;
    // The doctor is asked just because something is wrong: it goes on, and reports this.
    if (asks('doctor')) {
      process.env['HOLDFAST_CRSQLITE_PROBLEM'] = error.message;
      return true;
    }
    sayOnStderr(error.message);
    return false;
  }
}
