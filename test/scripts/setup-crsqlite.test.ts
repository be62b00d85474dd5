import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { ensureCrsqlite } from '#scripts/setup-crsqlite.mjs';

// Real processes and a real compiler throughout; the one build takes 5 to 20 s.
const BUILD_MS = 90_000;
const setup = path.resolve('scripts/setup-crsqlite.mjs');

let made: string;
let scratch: string;
let cached: string;

beforeAll(async () => {
  // Not a file of the developer's own, which has no record beside it.
  delete process.env['HOLDFAST_CRSQLITE'];
  made = await ensureCrsqlite();
}, BUILD_MS);

beforeEach(() => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'holdfast-setup-'));
  cached = path.join(scratch, 'cache', 'crsqlite');
});

afterEach(() => {
  rmSync(scratch, { recursive: true, force: true });
});

function environment(changes: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const { HOLDFAST_CRSQLITE: _, ...inherited } = process.env;
  return {
    ...inherited,
    HOLDFAST_CACHE: path.join(scratch, 'cache'),
    HOLDFAST_NO_DOWNLOAD: '1',
    HOLDFAST_NO_APT: '1',
    ...changes,
  };
}

function runSetup(changes?: NodeJS.ProcessEnv) {
  return spawnSync(process.execPath, [setup], { env: environment(changes), encoding: 'utf8' });
}

/** Starts the set-up without waiting, for two at once. */
function startSetup() {
  const child = spawn(process.execPath, [setup], { env: environment(), stdio: 'ignore' });
  return new Promise<number | null>((resolve) => child.once('exit', resolve));
}

function takeMadeExtension() {
  mkdirSync(cached, { recursive: true });
  const extension = path.join(cached, path.basename(made));
  copyFileSync(made, extension);
  copyFileSync(path.join(path.dirname(made), 'verified.json'), path.join(cached, 'verified.json'));
  return extension;
}

test('[SU-1] a made and verified extension is used again without work', () => {
  const extension = takeMadeExtension();
  const before = statSync(extension);
  // Neither compiler nor network is at hand: only the file itself can be the answer.
  const result = runSetup({ PATH: scratch });
  expect(result.stderr).toBe('');
  expect(result.stdout.trim()).toBe(extension);
  expect(result.status).toBe(0);
  expect(statSync(extension).ino).toBe(before.ino);
});

test(
  '[SU-2] a cached file whose hash differs is made anew, by two processes at once if need be',
  async () => {
    const extension = takeMadeExtension();
    const good = readFileSync(extension);
    appendFileSync(extension, 'damage');
    expect(await Promise.all([startSetup(), startSetup()])).toEqual([0, 0]);
    expect(readdirSync(cached).toSorted()).toEqual([path.basename(extension), 'verified.json']);
    expect(readFileSync(extension).equals(Buffer.concat([good, Buffer.from('damage')]))).toBe(
      false,
    );
    // What the two have left behind is whole: a third one has nothing to do.
    expect(runSetup({ PATH: scratch })).toMatchObject({ status: 0, stderr: '' });
  },
  BUILD_MS,
);

test(
  '[SU-6] with both compilers here it is built, and nothing is fetched before',
  ({ skip }) => {
    const isHere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
    skip(!['rustc', 'cc'].every(isHere), 'there is no rustc or no cc on the path');
    const result = runSetup({ HOLDFAST_NO_DOWNLOAD: '' });
    expect(result.stderr).toMatch(/^holdfast: building [^\n]*\nholdfast: [^\n]* sources\)\n$/);
    expect(result.status).toBe(0);
  },
  BUILD_MS,
);

test('[SU-3] no compiler and no network: a sentence with the fix and exit code 1', () => {
  const result = runSetup({ PATH: scratch });
  expect(result.status).toBe(1);
  expect(result.stdout).toBe('');
  expect(result.stderr).toContain('there is no Rust compiler (rustc)');
  expect(result.stderr).toContain('apt-get install --no-install-recommends rustc-web');
  expect(result.stderr).toContain('npm run setup');
  expect(result.stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(cached) ? readdirSync(cached) : []).toEqual([]);
});

test('[SU-3] a rustc of rustup without a toolchain does not hide the one of the package', ({
  skip,
}) => {
  skip(!existsSync('/usr/bin/rustc'), 'there is no rustc of a package');
  skip(process.getuid?.() !== 0, 'only root may install packages');
  const program = (name: string, code: number): void =>
    writeFileSync(path.join(scratch, name), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
  program('rustc', 1);
  // It finds nothing to install.
  program('apt-get', 0);
  const result = runSetup({
    PATH: [scratch, process.env['PATH']].join(path.delimiter),
    // One that is missing keeps the build from taking its time.
    CC: path.join(scratch, 'no-cc'),
    HOLDFAST_NO_APT: '',
  });
  expect(result.stderr).toContain('there is no C compiler (cc).');
  expect(result.stderr).not.toContain('no Rust compiler');
});

test('[SU-4] a file that cannot merge two databases is refused, and so is one not there', () => {
  const broken = path.join(scratch, 'broken.so');
  writeFileSync(broken, 'not a library');
  const refused = runSetup({ HOLDFAST_CRSQLITE: broken });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('does not work here: the trial merge failed');
  expect(existsSync(cached) ? readdirSync(cached) : []).toEqual([]);

  const missing = runSetup({ HOLDFAST_CRSQLITE: path.join(scratch, 'missing.so') });
  expect(missing.status).toBe(1);
  expect(missing.stderr).toContain('cannot be read');
});

test.skipIf(spawnSync('cc', ['--version']).status !== 0)(
  '[SU-4] a library that loads but does not merge, or that crashes, is caught all the same',
  () => {
    const library = (name: string, body: string) => {
      const source = path.join(scratch, `${name}.c`);
      const file = path.join(scratch, `${name}.so`);
      writeFileSync(source, `#include <stdlib.h>\nint sqlite3_crsqlite_init(void) { ${body} }\n`);
      expect(spawnSync('cc', ['-shared', '-fPIC', source, '-o', file]).status).toBe(0);
      return file;
    };
    const empty = runSetup({ HOLDFAST_CRSQLITE: library('empty', 'return 0;') });
    expect(empty.status).toBe(1);
    expect(empty.stderr).toContain('no such function: crsql_as_crr');

    const crashing = runSetup({ HOLDFAST_CRSQLITE: library('crashing', 'abort();') });
    expect(crashing.status).toBe(1);
    expect(crashing.stderr).toContain('SIGABRT');
  },
);

test('[SU-4] a file of the developer’s own is proven once, and used where it is', () => {
  const extension = takeMadeExtension();
  const own = path.join(scratch, `own${path.extname(extension)}`);
  copyFileSync(extension, own);
  rmSync(cached, { recursive: true });
  expect(runSetup({ HOLDFAST_CRSQLITE: own })).toMatchObject({ status: 0, stdout: `${own}\n` });
  const [record] = readdirSync(cached);
  const provenAt = statSync(path.join(cached, record ?? '')).mtimeMs;
  expect(runSetup({ HOLDFAST_CRSQLITE: own }).status).toBe(0);
  expect(statSync(path.join(cached, record ?? '')).mtimeMs).toBe(provenAt);
});
