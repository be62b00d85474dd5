// Locates the sources of cr-sqlite: its npm package in a checkout, out/crsqlite in our own package.
// cr-sqlite's package is not a runtime dependency, because its install script fails on every current
// Node and would fail the installation of Holdfast.

import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';

import { inRepo } from '../lib/paths.mjs';

const PACKAGE = inRepo('node_modules/@vlcn.io/crsqlite');
const BUNDLED = inRepo('out/crsqlite');

/** SQLite itself, tests, and dot files that npm would interpret. */
const EXCLUDED = /sqlite\/(?:sqlite3|shell)\.c$|\.test\.c$|integration_check$|\/\.[^/]*$/;

/** @returns {string} */
export function crsqliteSources() {
  return existsSync(PACKAGE) ? PACKAGE : BUNDLED;
}

/** Copies the sources that the build reads, and their licence, into our own package. */
export function bundleSources() {
  rmSync(BUNDLED, { recursive: true, force: true });
  for (const part of ['LICENSE', 'rs', 'src']) {
    cpSync(path.join(PACKAGE, part), path.join(BUNDLED, part), {
      recursive: true,
      filter: (from) => !EXCLUDED.test(from),
    });
  }
}
