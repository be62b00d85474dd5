// Finds an Electron binary. Since version 42 the npm package does not contain one.

import { existsSync } from 'node:fs';
import path from 'node:path';

import { inRepo } from './paths.mjs';
import { capture } from './processes.mjs';

/** @typedef {{ distPath: string, executable: string }} ElectronBinary */

const DOWNLOAD_TIMEOUT_MS = 120_000;

const EXECUTABLES = /** @type {Record<string, string>} */ ({
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
});

/**
 * The binary that the developer chose, or the one that Electron's install script downloaded.
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
 * Downloads the binary with Electron's install script. It can hang without a network, so it has a
 * timeout.
 *
 * @returns {Promise<ElectronBinary | null>}
 */
export async function downloadElectron() {
  const installer = inRepo('node_modules/electron/install.js');
  await capture(process.execPath, [installer], { timeoutMs: DOWNLOAD_TIMEOUT_MS });
  return findElectron();
}
