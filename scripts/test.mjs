// `npm test` and `npm run test:slow` (--slow): prepares the machine, runs vitest, and prints counts per
// environment, the tests that could not run with the reason, and one line of totals. Other arguments go
// to vitest; file names select from the quick and the slow tests alike.

import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { BuildFailed, ensureBuilt } from './lib/build.mjs';
import { inRepo, repoRoot } from './lib/paths.mjs';
import { superviseChild, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { matchesSlowTest } from './lib/slow-tests.mjs';
import { resultsFile } from './lib/test-results.mjs';
import { CrsqliteUnavailable, ensureCrsqlite } from './setup-crsqlite.mjs';
import { prepareBrowser, prepareElectron, prepareNetworks, withDisplay } from './test-runtime.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

// vitest's JSON report has no project names, so the environment is derived from the folder.
const ENVIRONMENTS = [
  { name: 'browser', folder: 'test/e2e/browser/' },
  { name: 'electron', folder: 'test/e2e/electron/' },
  { name: 'renderer', folder: 'test/renderer/' },
  { name: 'node', folder: '' },
];

const QUICK = ['--project=node', '--project=renderer'];
const SLOW = ['--project=slow', '--project=e2e'];
const NOT_SLOW = ['not run: browser, Electron, crash, mail and many-seed tests: npm run test:slow'];

await useRightNode(import.meta.url);
process.exitCode = await test(process.argv.slice(2));

/**
 * @param {string[]} args
 * @returns {Promise<number>} exit code
 */
async function test(args) {
  const forVitest = args.filter((arg) => arg !== '--slow');
  const files = forVitest.filter((arg) => !arg.startsWith('-'));
  const slow = args.includes('--slow') || matchesSlowTest(files);
  // Only a run of the whole suite says what is proven; other arguments may select tests.
  const stored = forVitest.length === 0 ? resultsFile({ name: slow ? 'slow' : 'quick' }) : null;
  if (stored !== null) rmSync(stored, { force: true });
  if (files.length === 0) forVitest.push(...(slow ? SLOW : QUICK));
  /** @type {string} */
  let extension;
  try {
    extension = await ensureCrsqlite({ say });
    await ensureBuilt({ say });
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable || error instanceof BuildFailed)) throw error;
    say(error.message);
    return 1;
  }
  const machine = slow ? await prepareSlow() : { env: {}, notRun: NOT_SLOW, stop: () => {} };
  const env = { ...process.env, HOLDFAST_CRSQLITE: extension, ...machine.env };
  const report = mkdtempSync(path.join(os.tmpdir(), 'holdfast-test-'));
  try {
    const code = await runVitest(forVitest, env, path.join(report, 'results.json'));
    const results = readResults(path.join(report, 'results.json'));
    if (stored !== null) storeReport(path.join(report, 'results.json'), stored);
    return close(code, results, machine.notRun);
  } finally {
    machine.stop();
    rmSync(report, { recursive: true, force: true });
  }
}

/**
 * @param {string} report
 * @param {string} stored
 */
function storeReport(report, stored) {
  if (!existsSync(report)) return;
  mkdirSync(path.dirname(stored), { recursive: true });
  copyFileSync(report, stored);
}

/** The programs of the slow tests: a browser, Electron with a display, network namespaces. */
async function prepareSlow() {
  const browser = await prepareBrowser({ say });
  const networks = await prepareNetworks({ say });
  const screen = await prepareScreen();
  return {
    env: { ...screen.env, ...browserEnv(browser) },
    notRun: notRun(browser, screen.electron, networks),
    stop: screen.stop,
  };
}

/** Electron and a display. Without either, the Electron tests are skipped with the reason. */
async function prepareScreen() {
  const nothing = () => {};
  const electron = await prepareElectron({ say });
  if (!electron.ok) return withoutElectron(electron.reason);
  try {
    const { display, stop } = await withDisplay();
    const env = {
      HOLDFAST_TEST_ELECTRON: electron.executable,
      HOLDFAST_TEST_ELECTRON_DIST: electron.distPath,
      ...(display === undefined ? {} : { DISPLAY: display }),
    };
    return { electron, env, stop };
  } catch (error) {
    return withoutElectron(/** @type {Error} */ (error).message);
  }

  /** @param {string} reason */
  function withoutElectron(reason) {
    const missing = { ok: /** @type {const} */ (false), reason };
    return { electron: missing, env: { HOLDFAST_TEST_ELECTRON_REASON: reason }, stop: nothing };
  }
}

/** @param {Awaited<ReturnType<typeof prepareBrowser>>} browser */
function browserEnv(browser) {
  return browser.ok
    ? { HOLDFAST_TEST_CHROMIUM: browser.executable }
    : { HOLDFAST_TEST_CHROMIUM_REASON: browser.reason };
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} reportFile
 */
function runVitest(args, env, reportFile) {
  const vitest = inRepo('node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd: repoRoot,
    env,
    stdio: 'inherit',
  });
  return superviseChild(child);
}

/**
 * @param {string} file
 * @returns {Map<string, Counts>} by environment
 */
function readResults(file) {
  /** @type {Map<string, Counts>} */
  const results = new Map();
  for (const testFile of readReport(file)) {
    const name = environmentOf(testFile.name);
    const counts = results.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
    results.set(name, counts);
    for (const { status } of testFile.assertionResults) {
      if (status === 'passed') counts.passed += 1;
      else if (status === 'failed') counts.failed += 1;
      else counts.skipped += 1;
    }
    // A file that fails to load or to set up has no failed test in the report; count it as one.
    const showsFailure = testFile.assertionResults.some(({ status }) => status === 'failed');
    if (testFile.status === 'failed' && !showsFailure) counts.failed += 1;
  }
  return results;
}

/** @typedef {{ name: string, status: string, assertionResults: { status: string }[] }} TestFile */

/**
 * @param {string} file
 * @returns {TestFile[]} empty if vitest ended before writing the report
 */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch {
    return [];
  }
}

/** @param {string} testFile */
function environmentOf(testFile) {
  const relative = path.relative(repoRoot, testFile).split(path.sep).join('/');
  return ENVIRONMENTS.find(({ folder }) => relative.startsWith(folder))?.name ?? 'node';
}

/**
 * @param {Awaited<ReturnType<typeof prepareBrowser>>} browser
 * @param {Awaited<ReturnType<typeof prepareElectron>>} electron
 * @param {Awaited<ReturnType<typeof prepareNetworks>>} networks
 */
function notRun(browser, electron, { namespaces, netem }) {
  const lines = [];
  if (!browser.ok) lines.push(`not run: browser tests: ${browser.reason}`);
  if (!electron.ok) lines.push(`not run: Electron tests: ${electron.reason}`);
  if (!namespaces.ok) lines.push(`not run: network namespace tests: ${namespaces.reason}`);
  else if (!netem.ok) lines.push(`not run: packet delay and loss test: ${netem.reason}`);
  lines.push(
    'not run: installing the packages (minutes): npm run pack-smoke, npm run package-smoke',
  );
  return lines;
}

/**
 * Prints the summary. CI parses its last line.
 *
 * @param {number} vitestCode
 * @param {Map<string, Counts>} results
 * @param {string[]} notRunLines
 * @returns {number} exit code
 */
function close(vitestCode, results, notRunLines) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  print('');
  print(row('environment', 'passed', 'failed', 'skipped'));
  for (const [name, counts] of [...results].toSorted(([a], [b]) => a.localeCompare(b))) {
    print(row(name, counts.passed, counts.failed, counts.skipped));
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  for (const line of notRunLines) print(line);
  const ran = total.passed + total.failed;
  if (ran === 0) print('no test ran, which counts as a failure');
  print(`tests: ${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  if (ran === 0 || total.failed > 0) return vitestCode || 1;
  return vitestCode;
}

/**
 * @param {string} name
 * @param {(string | number)[]} cells
 */
function row(name, ...cells) {
  return name.padEnd(12) + cells.map((cell) => String(cell).padStart(9)).join('');
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
