// `npm run pack-smoke`: packs the npm package, installs it into an empty folder and uses it there: help,
// types, an author's test, the host, the window's page, an example, and the practice run, whose unknown
// outcome is settled. Prints one line per step; exits 1 if a step fails. `-- --to DIR` keeps the
// tarball; `-- --make-crsqlite` lets the package make cr-sqlite, which takes longer.

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
import { compileAsAuthor, createAuthorProject, testAsAuthor } from './lib/author-project.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { repoRoot } from './lib/paths.mjs';
import { capture } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { ensureTypes } from './lib/bundle-types.mjs';
import { expectThat, readServeHello, step, until } from './lib/smoke-steps.mjs';
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
    // Not in a `prepack` script, because .npmrc disables the scripts of all packages.
    await ensureBuilt();
    await ensureTypes();
    bundleSources();
    await run(npm, ['pack', '--silent', '--pack-destination', base], repoRoot);
    const file = readdirSync(base).find((name) => name.endsWith('.tgz'));
    if (!file) throw new Error('npm pack made no tarball.');
    if (values.to !== undefined) cpSync(path.join(base, file), path.resolve(values.to, file));
    return path.join(base, file);
  });
  await step('npm install into an empty folder', async () => {
    mkdirSync(empty);
    writeFileSync(path.join(empty, 'package.json'), '{"private":true}');
    // With install scripts enabled, as by default: the package must not have any.
    const options = ['--ignore-scripts=false', '--no-audit', '--no-fund', '--prefer-offline'];
    await run(npm, ['install', ...options, tarball], empty);
    for (const source of ['src-main', 'src-shared']) {
      expectThat(
        !existsSync(path.join(empty, 'node_modules/holdfast', source)),
        `no ${source} in the package`,
      );
    }
  });
  await step('holdfast --help and --version', async () => {
    expectThat((await holdfast('--help')).includes('restore'), '--help lists the commands');
    expectThat(
      /^\d+\.\d+\.\d+\s*$/.test(await holdfast('--version')),
      '--version prints a version',
    );
  });
  if (!values['make-crsqlite']) {
    // Building it again takes as long as all other steps together.
    await step('copy cr-sqlite from this checkout', async () => {
      const made = await ensureCrsqlite({ say: () => undefined });
      cpSync(path.dirname(made), path.join(base, 'cache/crsqlite'), { recursive: true });
    });
  }
  await step('npx holdfast --version', async () => {
    const output = await run(npx, ['--yes', '--package', tarball, 'holdfast', '--version'], base);
    expectThat(/^\d+\.\d+\.\d+$/m.test(output), '--version prints a version');
  });
  const author = createAuthorProject(empty);
  await step('an author’s code compiles', async () => {
    const { ok, output } = await compileAsAuthor(author);
    expectThat(ok, `no compiler errors:\n${output}`);
  });
  await step('an author’s test passes with holdfast/testing', async () => {
    const { ok, output } = await testAsAuthor(author, env);
    expectThat(ok && /pass 1\b/.test(output), `one passed test:\n${output}`);
  });
  const { url, token } = await step('holdfast serve', serve);
  await step('the page of the window', async () => {
    const page = await (await fetch(url)).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
    expectThat((await fetch(new URL(script, url))).ok, 'the script of the page is served');
    const info = await fetch(`${url}/api/call/host.info`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{}',
    });
    expectThat(info.ok, 'the API answers');
  });
  await step('holdfast add an example', async () => {
    const example = path.join(empty, 'node_modules/holdfast/examples/tidy-downloads.ts');
    expectThat(/activated/.test(await holdfast('add', example)), 'the workflow is active');
  });
  await step('an unknown outcome is settled', settle);
  await step('holdfast backup, and the host stops', async () => {
    expectThat((await holdfast('backup')).includes('verified'), 'the backup was checked');
    const ended = new Promise((resolve) => host?.once('exit', resolve));
    host?.kill('SIGTERM');
    expectThat((await ended) === 0, 'the host exits with 0');
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
  return readServeHello(child);
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
    'a committed run',
  );
}

/** @param {string[]} args */
function holdfast(...args) {
  const isCommand = !args[0]?.startsWith('--');
  const bin = path.join(empty, 'node_modules/.bin/holdfast');
  return run(bin, isCommand ? [...args, '--data', dataDir] : args, empty);
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
