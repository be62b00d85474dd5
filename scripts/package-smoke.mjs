// `npm run package-smoke`: builds the desktop app as a folder and, with Debian's tools, as a deb that is
// installed into a folder. The app starts on a virtual display with data of earlier versions, which it
// migrates; the practice run ends with an unknown outcome, which is settled in the window; the app
// closes and starts again. The test uses the page's debugging port, because the fuses disable debuggers
// of the main process.

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
const cleanUps = [() => rmSync(base, { recursive: true, force: true })];
try {
  process.exitCode = await smoke();
} finally {
  for (const cleanUp of cleanUps.toReversed()) cleanUp();
}

async function smoke() {
  const electron = await prepareElectron();
  if (!electron.ok) {
    process.stdout.write(`not run: the packaged app: ${electron.reason}\n`);
    return 1;
  }
  const { display, stop } = await withDisplay();
  cleanUps.push(stop);
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
      // Faster than the default; the size does not matter here.
      '-c.deb.compression=gz',
    ]);
    expectThat(code === 0, 'electron-builder exits with 0');
  });
  process.stdout.write(
    'not run: the AppImage: electron-builder would have to download its runtime\n',
  );
  if (!isDebian) process.stdout.write('not run: the deb: dpkg-deb is not installed\n');
  const program = isDebian
    ? await step('install the deb into a folder', () => installDeb(output, base))
    : path.join(output, 'linux-unpacked', 'holdfast');
  const fixtures = readdirSync(inRepo('test/fixtures/levels')).toSorted();
  const newest = schemaVersionOf(/** @type {string} */ (fixtures.at(-1)));
  await step('migrate data of the first version', async () => {
    const first = dataFolderOf(/** @type {string} */ (fixtures[0]));
    const app = await start(program, first, display);
    const { schemaVersion } = await call(app, 'host.info', {});
    expectThat(schemaVersion === newest, `schema version ${newest}, not ${schemaVersion}`);
    await stopApp(app);
  });
  const dataDir = dataFolderOf(/** @type {string} */ (fixtures.at(-2)));
  const app = await step('start with data of the previous version', () =>
    start(program, dataDir, display),
  );
  await step('the data is migrated, backed up and shown', async () => {
    const { schemaVersion } = await call(app, 'host.info', {});
    expectThat(schemaVersion === newest, `schema version ${newest}, not ${schemaVersion}`);
    expectThat(
      readdirSync(path.join(dataDir, 'backups')).length === 1,
      'one backup of the old file',
    );
    const { workflows } = await call(app, 'workflows.list', {});
    expectThat(workflows.length === 1, 'the one workflow of the old data');
    await app.page.getByText(workflows[0].name).first().waitFor();
  });
  const runId = await step('a run with an unknown outcome', async () => {
    await call(app, 'practice.begin', {});
    // Another Holdfast on this machine may hold the port of the practice service and stop at this
    // moment; then the first try fails and the run is retried.
    await until(() => unknownEffect(app));
    await app.page
      .getByRole('link', { name: /^Inbox/ })
      .first()
      .click();
    await app.page.getByRole('button', { name: 'It went through' }).first().waitFor();
    return /** @type {string} */ ((await unknownEffect(app)).handlerRunId);
  });
  await step('settle it in the window', async () => {
    await app.page.getByRole('button', { name: 'It went through' }).first().click();
    await until(async () => ((await unknownEffect(app)) === undefined ? true : undefined));
    await until(async () => (await phaseOf(app, runId)) === 'committed' || undefined);
  });
  await step('close and start again', async () => {
    await stopApp(app);
    const again = await start(program, dataDir, display);
    expectThat((await phaseOf(again, runId)) === 'committed', 'the run is still committed');
    await stopApp(again);
  });
  process.stdout.write('The packaged app works.\n');
  return 0;
}

/** @param {string} fixture */
function schemaVersionOf(fixture) {
  return Number(/\d+/.exec(fixture)?.[0]);
}

/**
 * @param {string} fixture
 * @returns {string} a data folder of that schema version
 */
function dataFolderOf(fixture) {
  const folder = path.join(base, `data-${schemaVersionOf(fixture)}`);
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
  cleanUps.push(() => child.kill('SIGKILL'));
  const address = await debuggingAddress(child);
  // A client that connects before the page exists may never see it.
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
    let stderr = '';
    child.stderr?.on('data', (chunk) => {
      stderr += chunk;
      const found = /DevTools listening on (ws:\S+)/.exec(stderr)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`The app exited with ${code}: ${stderr}`)));
  });
}

/** @param {App} app */
async function unknownEffect(app) {
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
 * Calls the host as the window does.
 *
 * @param {App} app
 * @param {string} name
 * @param {object} input
 * @returns {Promise<any>}
 */
async function call({ page }, name, input) {
  const result = await page.evaluate(
    ([callName, value]) => /** @type {any} */ (globalThis).holdfast.call(callName, value),
    /** @type {const} */ ([name, input]),
  );
  if (!result.ok) throw new Error(`${name}: ${result.error.message}`);
  return result.output;
}
