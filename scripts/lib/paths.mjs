// Paths in a checkout and in an installed package. HOLDFAST_CACHE moves the cache, e.g. for tests.

import { existsSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repoRoot = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** False in an installed package, which contains the build and no sources. */
export const isCheckout = existsSync(path.join(repoRoot, 'src-main'));

/**
 * A folder for files that can be made again at any time.
 *
 * @param {string} name
 */
export function cacheFolder(name) {
  const root = process.env['HOLDFAST_CACHE'] || (isCheckout ? inRepo('.cache') : userCache());
  return path.resolve(root, name);
}

/** The package folder may be read-only, and all installed versions can share one extension. */
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
 * Whether a module is the program's entry point. `import.meta.main` needs Node 24, and this also runs
 * on older versions.
 *
 * @param {string} moduleUrl
 */
export function isMainModule(moduleUrl) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(moduleUrl);
}
