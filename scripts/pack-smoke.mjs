// `npm run pack-smoke`: the package as a stranger gets it. Packed, installed into an empty folder,
// and there: help, the types, a test of an author, the host, the window's page, an example, the
// practice run, its question settled. One line for each step; exit code 1 when one fails. `-- --to DIR` keeps the tarball; `-- --make-crsqlite` has the package make cr-sqlite
// itself, which takes a while.

import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { bundleSources } from './crsqlite/sources.mjs';
import { compileAsAuthor, settleAuthor, testAsAuthor } from './lib/author.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { repoRoot } from './lib/places.mjs';
import { capture } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { ensureTypes } from './lib/types.mjs';
import { expectThat, helloOf, step, until } from './lib/smoke.mjs';
import { ensureCrsqlite } from './setup-crsqlite.mjs';

await useRightNode(import.meta.url);

const { values } = parseArgs({
  options: { to: { type: 'string' }, 'make-crsqlite': { type: 'boolean', default: false } },
});
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const npx = process.platform === 'win32' ? 'npx.cmd' : 'npx';
const base = mkdtempSync(path.join(os.tmpdir(), 'holdfast-pack-'));
const empty = path.join(base, 'empty');
const dataDir = path.join(base, 'data');
const env = {
  ...process.env,
  HOLDFAST_CACHE: path.join(base, 'cache'),
  HOLDFAST_CRSQLITE: '',
  NO_COLOR: '1',
};
/** @type {import('node:child_process').ChildProcess | undefined} */
let host;
try {
  process.exitCode = await smoke();
} finally {
  host?.kill('SIGKILL');
  rmSync(base, { recursive: true, force: true });
}

async function smoke() {
  const tarball = await step('npm pack', async () => {
    // Not by npm itself: no script of a package runs here, not even our own.
    await ensureBuilt();
    await ensureTypes();
    bundleSources();
    await run(npm, ['pack', '--silent', '--pack-destination', base], repoRoot);
    const file = readdirSync(base).find((name) => name.endsWith('.tgz'));
    if (!file) throw new Error('There is no tarball.');
    if (values.to !== undefined) cpSync(path.join(base, file), path.resolve(values.to, file));
    return path.join(base, file);
  });
  await step('npm install into an empty folder', async () => {
    mkdirSync(empty);
    writeFileSync(path.join(empty, 'package.json'), '{"private":true}');
    // As a stranger would, scripts and all: there are none.
    const allowed = ['--ignore-scripts=false', '--no-audit', '--no-fund', '--prefer-offline'];
    await run(npm, ['install', ...allowed, tarball], empty);
    for (const source of ['src-main', 'src-shared']) {
      expectThat(!existsSync(path.join(empty, 'node_modules/holdfast', source)), `no ${source}`);
    }
  });
  await step('holdfast --help and --version', async () => {
    expectThat((await holdfast('--help')).includes('restore'), 'help names the commands');
    expectThat(/^\d+\.\d+\.\d+\s*$/.test(await holdfast('--version')), 'it knows its version');
  });
  if (!values['make-crsqlite']) {
    // Made by the same script in this checkout; making it once more takes as long as all the rest.
    await step('cr-sqlite, as this checkout has made it', async () => {
      const made = await ensureCrsqlite({ say: () => undefined });
      cpSync(path.dirname(made), path.join(base, 'cache/crsqlite'), { recursive: true });
    });
  }
  await step('the same by npx, installed nowhere', async () => {
    const said = await run(npx, ['--yes', '--package', tarball, 'holdfast', '--version'], base);
    expectThat(/^\d+\.\d+\.\d+$/m.test(said), 'it knows its version');
  });
  const author = settleAuthor(empty);
  await step('what an author writes compiles', async () => {
    const { ok, output } = await compileAsAuthor(author);
    expectThat(ok, `it compiles:\n${output}`);
  });
  await step('a test of an author, with holdfast/testing', async () => {
    const { ok, output } = await testAsAuthor(author, env);
    expectThat(ok && /pass 1\b/.test(output), `one test has passed:\n${output}`);
  });
  const { url, token } = await step('holdfast serve', serve);
  await step('the page of the window', async () => {
    const page = await (await fetch(url)).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
    expectThat((await fetch(new URL(script, url))).ok, 'its script is there');
    const info = await fetch(`${url}/api/call/host.info`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expectThat(info.ok, 'the API answers');
  });
  await step('holdfast add an example', async () => {
    const example = path.join(empty, 'node_modules/holdfast/examples/tidy-downloads.ts');
    expectThat(/activated/.test(await holdfast('add', example)), 'it is active');
  });
  await step('a run whose outcome nobody knows, settled', settle);
  await step('holdfast backup, and the host stops', async () => {
    expectThat((await holdfast('backup')).includes('verified'), 'a backup was made');
    const ended = new Promise((resolve) => host?.once('exit', resolve));
    host?.kill('SIGTERM');
    expectThat((await ended) === 0, 'it ended well');
  });
  process.stdout.write('The package works.\n');
  return 0;
}

/** @returns {Promise<{ url: string, token: string }>} */
function serve() {
  const bin = path.join(empty, 'node_modules/holdfast/bin/holdfast.mjs');
  const child = spawn(process.execPath, [bin, 'serve', '--json', '--data', dataDir], {
    cwd: empty,
    env,
  });
  host = child;
  return helloOf(child);
}

async function settle() {
  await holdfast('call', 'practice.begin');
  const item = await until(async () => {
    const { items } = JSON.parse(await holdfast('call', 'inbox.list'));
    return items.find((/** @type {any} */ one) => one.type === 'unknown_effect');
  });
  await holdfast('resolve', item.mutation.id, '--as', 'happened');
  await until(async () => {
    const { items } = JSON.parse(await holdfast('call', 'inbox.list'));
    return items.some((/** @type {any} */ one) => one.type === 'unknown_effect') ? undefined : true;
  });
  const { runs } = JSON.parse(await holdfast('call', 'handlerRuns.list'));
  expectThat(
    runs.some((/** @type {any} */ made) => made.phase === 'committed'),
    'a run has committed',
  );
}

/** @param {string[]} args */
function holdfast(...args) {
  const isData = !args[0]?.startsWith('--');
  const bin = path.join(empty, 'node_modules/.bin/holdfast');
  return run(bin, isData ? [...args, '--data', dataDir] : args, empty);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 */
async function run(program, args, cwd) {
  const { ok, output } = await capture(program, args, { cwd, env });
  if (!ok) throw new Error(`${path.basename(program)} ${args.join(' ')} failed:\n${output}`);
  return output;
}
