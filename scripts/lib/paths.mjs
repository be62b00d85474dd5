// Where things are, in a checkout and in an installed package. HOLDFAST_CACHE moves what we make ourselves, e.g. for tests.

import { existsSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repoRoot = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** False in an installed package, which has what was built and none of the sources. */
export const isCheckout = existsSync(path.join(repoRoot, 'src-main'));

/**
 * Folder for what can be made again at any time.
 *
 * @param {string} name
 */
export function cacheFolder(name) {
  const root = process.env['HOLDFAST_CACHE'] || (isCheckout ? inRepo('.cache') : userCache());
  return path.resolve(root, name);
}

/** A package may lie where its user cannot write, and every version may use the same extension. */
function userCache() {
  const { env, platform } = process;
  if (platform === 'win32') {
    return path.join(
      env['LOCALAPPDATA'] ?? path.join(os.homedir(), 'AppData', 'Local'),
      'Holdfast',
      'Cache',
    );
  }
  if (platform === 'darwin') return path.join(os.homedir(), 'Library', 'Caches', 'Holdfast');
  return path.join(env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache'), 'holdfast');
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
