// `npm run package`: the installers for the system that this runs on. What is given after `--` goes to
// electron-builder (`-- --dir` for the plain folder). HOLDFAST_UPDATE_FEED names a place of updates;
// without it there are none.

import { spawn } from 'node:child_process';

import { BuildFailed, ensureBuilt } from './lib/build.mjs';
import { findElectron } from './lib/electron.mjs';
import { inRepo, isStarted, repoRoot } from './lib/places.mjs';
import { findProgram, passOn, sayOnStderr as say } from './lib/processes.mjs';
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
  const child = spawn(process.execPath, [builder, '--publish', 'never', ...feed(), ...args], {
    cwd: repoRoot,
    // Nobody but whoever holds the key should sign: without one nothing is looked for.
    env: { CSC_IDENTITY_AUTO_DISCOVERY: 'false', ...debMaker(), ...process.env },
    stdio: 'inherit',
  });
  return passOn(child);
}

/** What the app asks for newer versions; it asks nobody else, and nobody at all without it. */
function feed() {
  const url = process.env['HOLDFAST_UPDATE_FEED'];
  return url ? ['-c.publish.provider=generic', `-c.publish.url=${url}`] : [];
}

/** Where Debian's own tool is, nothing is fetched to make its packages. */
function debMaker() {
  return findProgram('dpkg-deb') === null
    ? {}
    : { CUSTOM_FPM_PATH: inRepo('scripts/packaging/deb.mjs') };
}

/** An Electron that is here already: then none is fetched. */
function localElectron() {
  const found = findElectron();
  return found ? [`-c.electronDist=${found.distPath}`] : [];
}

if (isStarted(import.meta.url)) {
  await useRightNode(import.meta.url);
  process.exitCode = await buildPackage([...localElectron(), ...process.argv.slice(2)]);
}
