// Where the sources of cr-sqlite are: in its npm package while we develop, in out/crsqlite of our own
// package. Its package is no dependency of ours, since it has an install script, which fails on every
// current Node, and with it the install of whoever wants us.

import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';

import { inRepo } from '../lib/places.mjs';

const PACKAGE = inRepo('node_modules/@vlcn.io/crsqlite');
const CARRIED = inRepo('out/crsqlite');

/** SQLite itself, tests, and what npm would take for its own. */
const NOT_NEEDED = /sqlite\/(?:sqlite3|shell)\.c$|\.test\.c$|integration_check$|\/\.[^/]*$/;

/** @returns {string} */
export function crsqliteSources() {
  return existsSync(PACKAGE) ? PACKAGE : CARRIED;
}

/** For the package that we make: what the build reads, with its licence. */
export function carrySources() {
  rmSync(CARRIED, { recursive: true, force: true });
  for (const part of ['LICENSE', 'rs', 'src']) {
    cpSync(path.join(PACKAGE, part), path.join(CARRIED, part), {
      recursive: true,
      filter: (from) => !NOT_NEEDED.test(from),
    });
  }
}
