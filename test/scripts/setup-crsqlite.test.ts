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
import { pathToFileURL } from 'node:url';

import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { edits } from '#scripts/crsqlite/edits.mjs';
import { ensureCrsqlite } from '#scripts/setup-crsqlite.mjs';
import { notRunIf } from '#test/support/not-run.ts';

// Uses real processes and a real compiler; each build takes 3 to 20 s.
const BUILD_MS = 90_000;
const setup = path.resolve('scripts/setup-crsqlite.mjs');

let made: string;
let scratch: string;
let cached: string;

beforeAll(async () => {
  // A file that HOLDFAST_CRSQLITE names has no record beside it.
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

/** Starts setup without waiting for its end. */
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

test('[SU-1] a verified extension in the cache is used without a compiler or a network', () => {
  const extension = takeMadeExtension();
  const before = statSync(extension);
  const result = runSetup({ PATH: scratch });
  expect(result.stderr).toBe('');
  expect(result.stdout.trim()).toBe(extension);
  expect(result.status).toBe(0);
  expect(statSync(extension).ino).toBe(before.ino);
});

test(
  '[SU-2] a cached file whose hash differs is made again, also by two processes at once',
  async () => {
    const extension = takeMadeExtension();
    const good = readFileSync(extension);
    appendFileSync(extension, 'damage');
    expect(await Promise.all([startSetup(), startSetup()])).toEqual([0, 0]);
    expect(readdirSync(cached).toSorted()).toEqual([path.basename(extension), 'verified.json']);
    expect(readFileSync(extension).equals(Buffer.concat([good, Buffer.from('damage')]))).toBe(
      false,
    );
    // The file they left is valid: a third process makes nothing.
    expect(runSetup({ PATH: scratch })).toMatchObject({ status: 0, stderr: '' });
  },
  BUILD_MS,
);

/** Preloads a `fetch` that ends in the given way. */
function withFetch(body: string): NodeJS.ProcessEnv {
  const file = path.join(scratch, 'fetch.mjs');
  writeFileSync(file, `globalThis.fetch = async () => { ${body} };\n`);
  return { HOLDFAST_NO_DOWNLOAD: '', NODE_OPTIONS: `--import=${pathToFileURL(file).href}` };
}

const hasCompilers = ['rustc', 'cc'].every(
  (program) => spawnSync(program, ['--version']).status === 0,
);
const hasCompiler = spawnSync('cc', ['--version']).status === 0;
const hasRelease = process.platform === 'linux' && process.arch === 'x64';
const OFFLINE = `throw new TypeError('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND') });`;
const OTHER_CONTENT = `return new Response('<html>');`;

test.skipIf(!hasCompilers).each([
  ['without a network', OFFLINE],
  ['with a download whose hash differs', OTHER_CONTENT],
])(
  `[SU-6] %s, cr-sqlite is built from source, with no message about the release${notRunIf(!hasCompilers, 'no rustc and cc')}`,
  (_, fetched) => {
    const result = runSetup(withFetch(fetched));
    expect(result.stderr).toMatch(
      /^holdfast: building [^\n]*\nholdfast: [^\n]*\(built from source\)\n$/,
    );
    expect(result.status).toBe(0);
  },
  BUILD_MS,
);

test.skipIf(!hasRelease).each([
  [OFFLINE, "Upstream's release is not used: getaddrinfo ENOTFOUND."],
  [OTHER_CONTENT, "Upstream's release is not used: its archive has the sha256 "],
])(
  `[SU-6] the release is tried first, and the error says why it is not used: %s${notRunIf(!hasRelease, 'no release for this platform')}`,
  (fetched, why) => {
    const result = runSetup({ ...withFetch(fetched), PATH: scratch });
    expect(result.status).toBe(1);
    expect(result.stderr).toContain('no Rust compiler (rustc)');
    expect(result.stderr).toContain(why);
  },
);

test('[SU-6] [DB-18] the only edits of cr-sqlite are four that make it compile and two that fix faults', () => {
  const names = (kind: string): string[] =>
    edits.filter((edit) => edit.kind === kind).map(({ name }) => name);
  expect(edits.length).toBe(6);
  expect(names('compile')).toEqual([
    'noFeatureGates',
    'stableRawParts',
    'noErrorTrait',
    'abortWithoutNightly',
  ]);
  expect(names('fault')).toEqual(['slicesFromNull', 'namesEndInNul']);
  // In the core, which has the logic of clocks, triggers and merges, only these files are edited.
  const inCore = edits.flatMap(({ name, changes }) =>
    changes.filter(({ file }) => file.startsWith('core/')).map(({ file }) => `${name} ${file}`),
  );
  expect(inCore).toEqual([
    'noFeatureGates core/src/lib.rs',
    'stableRawParts core/src/changes_vtab.rs',
    'namesEndInNul core/src/lib.rs',
  ]);
});

test('[SU-3] without a compiler and a network, setup prints the fix, exits with 1 and leaves no file', () => {
  const result = runSetup({ PATH: scratch });
  expect(result.status).toBe(1);
  expect(result.stdout).toBe('');
  expect(result.stderr).toContain('no Rust compiler (rustc)');
  expect(result.stderr).toContain('apt-get install --no-install-recommends rustc-web');
  expect(result.stderr).toContain('npm run setup');
  expect(result.stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(cached) ? readdirSync(cached) : []).toEqual([]);
});

const canUseDebian = existsSync('/usr/bin/rustc') && process.getuid?.() === 0;
const whyNotDebian = canUseDebian ? '' : ' (not run: needs /usr/bin/rustc and root)';

test.skipIf(!canUseDebian)(
  `[SU-3] a failing rustc on the PATH does not hide Debian’s /usr/bin/rustc${whyNotDebian}`,
  () => {
    const program = (name: string, code: number): void =>
      writeFileSync(path.join(scratch, name), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
    program('rustc', 1);
    program('apt-get', 0);
    const result = runSetup({
      PATH: [scratch, process.env['PATH']].join(path.delimiter),
      // A missing C compiler ends setup before the build.
      CC: path.join(scratch, 'no-cc'),
      HOLDFAST_NO_APT: '',
    });
    expect(result.stderr).toContain('no C compiler (cc).');
    expect(result.stderr).not.toContain('no Rust compiler');
  },
);

test('[SU-4] a missing file and a file that is not a library are refused', () => {
  const broken = path.join(scratch, 'broken.so');
  writeFileSync(broken, 'not a library');
  const refused = runSetup({ HOLDFAST_CRSQLITE: broken });
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('does not work on this machine: the trial merge failed');
  expect(existsSync(cached) ? readdirSync(cached) : []).toEqual([]);

  const missing = runSetup({ HOLDFAST_CRSQLITE: path.join(scratch, 'missing.so') });
  expect(missing.status).toBe(1);
  expect(missing.stderr).toContain('cannot be read');
});

test.skipIf(!hasCompiler)(
  `[SU-4] a library that loads without cr-sqlite’s functions, and one that crashes, are refused${notRunIf(!hasCompiler, 'no cc')}`,
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

test('[SU-4] a file named by HOLDFAST_CRSQLITE is verified once and used in place', () => {
  const extension = takeMadeExtension();
  const own = path.join(scratch, `own${path.extname(extension)}`);
  copyFileSync(extension, own);
  rmSync(cached, { recursive: true });
  expect(runSetup({ HOLDFAST_CRSQLITE: own })).toMatchObject({ status: 0, stdout: `${own}\n` });
  const [record] = readdirSync(cached);
  const verifiedAt = statSync(path.join(cached, record ?? '')).mtimeMs;
  expect(runSetup({ HOLDFAST_CRSQLITE: own }).status).toBe(0);
  expect(statSync(path.join(cached, record ?? '')).mtimeMs).toBe(verifiedAt);
});
