// Where an Electron binary is. Since version 42 the npm package comes without one.

import { existsSync } from 'node:fs';
import path from 'node:path';

import { inRepo } from './paths.mjs';
import { capture } from './processes.mjs';

/** @typedef {{ distPath: string, executable: string }} ElectronBinary */

const DOWNLOAD_WITHIN_MS = 120_000;

const EXECUTABLES = /** @type {Record<string, string>} */ ({
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
});

/**
 * The developer's own choice, or what Electron's install script fetched earlier.
 *
 * @returns {ElectronBinary | null}
 */
export function findElectron() {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  const distPath = override ? path.resolve(override) : inRepo('node_modules/electron/dist');
  const executable = path.join(distPath, EXECUTABLES[process.platform] ?? 'electron');
  return existsSync(executable) ? { distPath, executable } : null;
}

/**
 * Lets Electron's own script fetch the binary. Behind a closed network it may hang, so it has a
 * limit.
 *
 * @returns {Promise<ElectronBinary | null>}
 */
export async function downloadElectron() {
  const installer = inRepo('node_modules/electron/install.js');
  await capture(process.execPath, [installer], { timeoutMs: DOWNLOAD_WITHIN_MS });
  return findElectron();
}
