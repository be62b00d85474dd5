// `npm run package-smoke`: the desktop app as it is shipped. Built as a plain folder and, where Debian's
// tools are, as a deb, which is installed into a folder; started on a screen that nobody sees, and there: a data folder of the version before is brought up to date, the
// practice run ends in a question, a person settles it in the window, and the app closes well. Driven
// through the debugging port of its page, since the fuses keep debuggers out of its main process.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

import { chromium } from 'playwright-core';

import { installDeb } from './packaging/install-deb.mjs';
import { inRepo } from './lib/paths.mjs';
import { findProgram } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { expectThat, step, until } from './lib/smoke-steps.mjs';
import { buildPackage } from './package.mjs';
import { prepareElectron, withDisplay } from './test-runtime.mjs';

/** @typedef {{ child: import('node:child_process').ChildProcess, page: import('playwright-core').Page }} App */

await useRightNode(import.meta.url);

const base = mkdtempSync(path.join(os.tmpdir(), 'holdfast-package-'));
/** @type {(() => void)[]} */
const atEnd = [() => rmSync(base, { recursive: true, force: true })];
try {
  process.exitCode = await smoke();
} finally {
  for (const undo of atEnd.toReversed()) undo();
}

async function smoke() {
  const electron = await prepareElectron();
  if (!electron.ok) {
    process.stdout.write(`not run: the packaged app: ${electron.reason}\n`);
    return 1;
  }
  const { display, stop } = await withDisplay();
  atEnd.push(stop);
  const output = path.join(base, 'dist');
  const isDebian = findProgram('dpkg-deb') !== null && findProgram('dpkg') !== null;
  await step(`electron-builder: dir${isDebian ? ', deb' : ''}`, async () => {
    const version = readFileSync(path.join(electron.distPath, 'version'), 'utf8').trim();
    const code = await buildPackage([
      '--linux',
      ...(isDebian ? ['dir', 'deb'] : ['dir']),
      `-c.electronDist=${electron.distPath}`,
      `-c.electronVersion=${version.replace(/^v/, '')}`,
      `-c.directories.output=${output}`,
      // The smallest file is for those who publish it; here it is unpacked at once.
      '-c.deb.compression=gz',
    ]);
    expectThat(code === 0, 'it was built');
  });
  process.stdout.write(
    'not run: the AppImage: its runtime comes from electron-builder’s own download, which a test does not make\n',
  );
  if (!isDebian) process.stdout.write('not run: the deb: dpkg-deb is not here\n');
  const program = isDebian
    ? await step('the deb, installed into a folder', () => installDeb(output, base))
    : path.join(output, 'linux-unpacked', 'holdfast');
  const levels = readdirSync(inRepo('test/fixtures/levels')).toSorted();
  const newest = levelOf(/** @type {string} */ (levels.at(-1)));
  await step('a data folder of the first version is brought up to date', async () => {
    const first = dataFolderOf(/** @type {string} */ (levels[0]));
    const app = await start(program, first, display);
    expectThat((await call(app, 'host.info', {})).schemaVersion === newest, `level ${newest}`);
    await stopApp(app);
  });
  const dataDir = dataFolderOf(/** @type {string} */ (levels.at(-2)));
  const app = await step('it starts, on a data folder of the version before', () =>
    start(program, dataDir, display),
  );
  await step('it has brought the data up to date, and shows it', async () => {
    const info = await call(app, 'host.info', {});
    expectThat(info.schemaVersion === newest, `the data is at level ${newest}`);
    expectThat(readdirSync(path.join(dataDir, 'backups')).length === 1, 'the old file is kept');
    const { workflows } = await call(app, 'workflows.list', {});
    expectThat(workflows.length === 1, 'its workflow is there');
    await app.page.getByText(workflows[0].name).first().waitFor();
  });
  const runId = await step('a run whose outcome nobody knows', async () => {
    await call(app, 'practice.begin', {});
    // The practice service has one port on a machine: where another Holdfast has it, and stops just
    // now, the first try finds nobody, and the next one comes after a while.
    await until(() => openQuestion(app));
    await app.page
      .getByRole('link', { name: /^Inbox/ })
      .first()
      .click();
    await app.page.getByRole('button', { name: 'It happened' }).first().waitFor();
    return /** @type {string} */ ((await openQuestion(app)).handlerRunId);
  });
  await step('settled by a person, in the window', async () => {
    await app.page.getByRole('button', { name: 'It happened' }).first().click();
    await until(async () => ((await openQuestion(app)) === undefined ? true : undefined));
    await until(async () => (await phaseOf(app, runId)) === 'committed' || undefined);
  });
  await step('it closes, and starts again', async () => {
    await stopApp(app);
    const again = await start(program, dataDir, display);
    expectThat((await phaseOf(again, runId)) === 'committed', 'the run is there as it was');
    await stopApp(again);
  });
  process.stdout.write('The packaged app works.\n');
  return 0;
}

/** @param {string} fixture */
function levelOf(fixture) {
  return Number(/\d+/.exec(fixture)?.[0]);
}

/**
 * @param {string} fixture
 * @returns {string} the data folder of a Holdfast of that level
 */
function dataFolderOf(fixture) {
  const folder = path.join(base, `data-${levelOf(fixture)}`);
  mkdirSync(folder);
  const file = gunzipSync(readFileSync(inRepo('test/fixtures/levels', fixture)));
  writeFileSync(path.join(folder, 'holdfast.db'), file, { mode: 0o600 });
  return folder;
}

/**
 * @param {string} program
 * @param {string} dataDir
 * @param {string | undefined} display
 * @returns {Promise<App>}
 */
async function start(program, dataDir, display) {
  const args = ['--no-sandbox', '--disable-gpu', '--remote-debugging-port=0', '--data', dataDir];
  const child = spawn(program, args, {
    env: { ...process.env, ...(display === undefined ? {} : { DISPLAY: display }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd.push(() => child.kill('SIGKILL'));
  const address = await debuggingAddress(child);
  // Before there is a page, whoever attaches may wait for ever.
  const list = `http://${new URL(address).host}/json/list`;
  await until(async () => {
    const targets = await (await fetch(list)).json();
    return targets.some((/** @type {any} */ one) => one.url.startsWith('app://')) || undefined;
  });
  const browser = await chromium.connectOverCDP(address);
  const page = await until(async () => browser.contexts()[0]?.pages()[0]);
  await page.waitForLoadState('load');
  return { child, page };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function debuggingAddress(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      const found = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${said}`)));
  });
}

/** @param {App} app */
async function openQuestion(app) {
  const { items } = await call(app, 'inbox.list', {});
  return items.find((/** @type {any} */ item) => item.type === 'unknown_effect');
}

/**
 * @param {App} app
 * @param {string} handlerRunId
 */
async function phaseOf(app, handlerRunId) {
  return (await call(app, 'handlerRuns.get', { handlerRunId })).phase;
}

/** @param {App} app */
async function stopApp({ child }) {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/**
 * As the window itself calls the host.
 *
 * @param {App} app
 * @param {string} name
 * @param {object} input
 * @returns {Promise<any>}
 */
async function call({ page }, name, input) {
  const result = await page.evaluate(
    ([what, given]) => /** @type {any} */ (globalThis).holdfast.call(what, given),
    /** @type {const} */ ([name, input]),
  );
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  return result.output;
}
