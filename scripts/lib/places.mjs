// Where things are in a checkout. HOLDFAST_CACHE moves what we make ourselves, e.g. for tests.

import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repoRoot = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));

/**
 * Folder for what can be made again at any time.
 *
 * @param {string} name
 */
export function cacheFolder(name) {
  const root = process.env['HOLDFAST_CACHE'] || path.join(repoRoot, '.cache');
  return path.resolve(root, name);
}

/** @param {string[]} parts */
export function inRepo(...parts) {
  return path.join(repoRoot, ...parts);
}

/**
 * Whether a module is what the person started, not something imported. (`import.meta.main` says
 * so only since Node 24, and this is asked before we are on it.)
 *
 * @param {string} moduleUrl
 */
export function isStarted(moduleUrl) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl);
}
