// `npm run package`: builds the installers for the current system. Arguments after `--` go to
// electron-builder (`-- --dir` for an unpacked folder).

import { spawn } from 'node:child_process';

import { BuildFailed, ensureBuilt } from './lib/build.mjs';
import { findElectron } from './lib/electron.mjs';
import { inRepo, isMainModule, repoRoot } from './lib/paths.mjs';
import { findProgram, superviseChild, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';

/**
 * @param {string[]} args for electron-builder
 * @returns {Promise<number>} exit code
 */
export async function buildPackage(args) {
  try {
    await ensureCrsqlite({ say });
    await ensureBuilt({ say });
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable || error instanceof BuildFailed)) throw error;
    say(error.message);
    return 1;
  }
  const builder = inRepo('node_modules/electron-builder/cli.js');
  const child = spawn(process.execPath, [builder, '--publish', 'never', ...args], {
    cwd: repoRoot,
    // Sign only with an explicit key; electron-builder would otherwise search the keychain.
    env: { CSC_IDENTITY_AUTO_DISCOVERY: 'false', ...debMaker(), ...process.env },
    stdio: 'inherit',
  });
  return superviseChild(child);
}

/** Uses the system's dpkg-deb where available, so electron-builder downloads no fpm. */
function debMaker() {
  return findProgram('dpkg-deb') === null
    ? {}
    : { CUSTOM_FPM_PATH: inRepo('scripts/packaging/deb.mjs') };
}

/** Uses a local Electron where available, so electron-builder downloads none. */
function localElectron() {
  const found = findElectron();
  return found ? [`-c.electronDist=${found.distPath}`] : [];
}

if (isMainModule(import.meta.url)) {
  await useRightNode(import.meta.url);
  process.exitCode = await buildPackage([...localElectron(), ...process.argv.slice(2)]);
}
