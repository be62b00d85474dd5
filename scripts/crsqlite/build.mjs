// Builds the cr-sqlite extension from the sources in its npm package with a stable rustc and a C
// compiler; cargo, crates.io and a nightly toolchain are not needed. shims/ replaces three small
// crates that cr-sqlite depends on; edits.mjs lists the source edits, applied to a temporary copy.

import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { capture, lastLines } from '../lib/processes.mjs';
import { edits as allEdits } from './edits.mjs';
import { crsqliteSources } from './sources.mjs';
import { CRSQLITE_VERSION } from './version.mjs';

const shims = fileURLToPath(new URL('shims', import.meta.url));

/**
 * @typedef {object} Crate
 * @property {string} source relative to the package's `rs` folder, or a file of shims/
 * @property {string[]} needs the crates it is compiled against
 * @property {'rlib' | 'proc-macro' | 'staticlib'} [kind]
 */

/** @type {Record<string, Crate>} */
const crates = {
  num_derive: { source: 'num_derive.rs', needs: [], kind: 'proc-macro' },
  num_traits: { source: 'num_traits.rs', needs: [] },
  bytes: { source: 'bytes.rs', needs: [] },
  sqlite3_capi: { source: 'sqlite-rs-embedded/sqlite3_capi/src/lib.rs', needs: [] },
  sqlite3_allocator: {
    source: 'sqlite-rs-embedded/sqlite3_allocator/src/lib.rs',
    needs: ['sqlite3_capi'],
  },
  sqlite_nostd: {
    source: 'sqlite-rs-embedded/sqlite_nostd/src/lib.rs',
    needs: ['sqlite3_capi', 'sqlite3_allocator', 'num_traits', 'num_derive'],
  },
  crsql_fractindex_core: { source: 'fractindex-core/src/lib.rs', needs: ['sqlite_nostd'] },
  crsql_core: {
    source: 'core/src/lib.rs',
    needs: ['sqlite_nostd', 'num_traits', 'num_derive', 'bytes'],
  },
  crsql_bundle: {
    source: 'bundle/src/lib.rs',
    needs: ['sqlite_nostd', 'crsql_core', 'crsql_fractindex_core'],
  },
  crsql_bundle_static: {
    source: 'bundle_static/src/lib.rs',
    needs: ['crsql_bundle'],
    kind: 'staticlib',
  },
};

const C_FLAGS = ['-O2', '-std=c99', '-fPIC', '-shared', '-pthread', '-w', '-Isrc', '-Isrc/sqlite'];
const C_FILES = ['src/crsqlite.c', 'src/changes-vtab.c', 'src/ext-data.c'];

const ENTRY_POINT = 'sqlite3_crsqlite_init';

/**
 * The files that determine the build's output, for cache invalidation.
 *
 * @returns {string[]}
 */
export function recipeFiles() {
  const here = ['build.mjs', 'edits.mjs'].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  );
  return [...here, ...readdirSync(shims).map((name) => path.join(shims, name))];
}

/**
 * Builds the extension into `outFile`. Throws with the compiler's output when the build fails.
 *
 * @param {object} options
 * @param {string} options.outFile
 * @param {string} options.rustc
 * @param {string} options.cc
 * @param {import('./edits.mjs').Edit[]} [options.edits] a test leaves some of them out
 * @returns {Promise<void>}
 */
export async function buildCrsqlite({ outFile, rustc, cc, edits = allEdits }) {
  const work = mkdtempSync(path.join(os.tmpdir(), 'holdfast-crsqlite-'));
  try {
    const sources = copySources(work);
    for (const edit of edits) applyEdit(sources, edit);
    const libraries = path.join(work, 'libraries');
    mkdirSync(libraries);
    await compileCrates({ work, sources, libraries, rustc });
    const linked = await link({ work, sources, libraries, cc });
    mkdirSync(path.dirname(outFile), { recursive: true });
    copyFileSync(linked, outFile);
    chmodSync(outFile, 0o755);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} work */
function copySources(work) {
  const sources = path.join(work, 'crsqlite');
  cpSync(crsqliteSources(), sources, { recursive: true });
  return sources;
}

/**
 * @param {string} sources
 * @param {import('./edits.mjs').Edit} edit
 */
function applyEdit(sources, edit) {
  for (const { file, find, replace, times } of edit.changes) {
    const target = path.join(sources, 'rs', file);
    const before = readFileSync(target, 'utf8');
    const found = [...before.matchAll(new RegExp(find, [...new Set(`${find.flags}g`)].join('')))];
    if (found.length !== times) {
      throw new Error(
        `The edit ${edit.name} matches ${found.length} times in rs/${file} instead of ${times}: ` +
          `this build was written for the sources of cr-sqlite ${CRSQLITE_VERSION}.`,
      );
    }
    writeFileSync(target, before.replace(find, replace));
  }
}

/**
 * Compiles each crate as soon as its dependencies are compiled.
 *
 * @param {{ work: string, sources: string, libraries: string, rustc: string }} place
 */
async function compileCrates(place) {
  const env = {
    ...process.env,
    OUT_DIR: shippedBindings(place.sources),
    CRSQLITE_COMMIT_SHA: `npm-${CRSQLITE_VERSION}`,
  };
  /** @type {Map<string, Promise<void>>} */
  const started = new Map();
  /** @type {(name: string) => Promise<void>} */
  const compile = (name) => {
    const already = started.get(name);
    if (already) return already;
    const crate = /** @type {Crate} */ (crates[name]);
    const done = Promise.all(crate.needs.map(compile)).then(() =>
      run(place.rustc, rustcArgs(name, crate, place), { cwd: place.work, env }),
    );
    started.set(name, done);
    return done;
  };
  // Wait for all, even after a failure: the caller removes the work folder next.
  const results = await Promise.allSettled(Object.keys(crates).map(compile));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/**
 * Upstream generates the Rust bindings of SQLite's C API with bindgen, which needs libclang. The
 * package contains the generated file, left over from upstream's own build.
 *
 * @param {string} sources
 */
function shippedBindings(sources) {
  const builds = path.join(sources, 'rs/bundle_static/target/release/build');
  const folder = readdirSync(builds).find((name) => name.startsWith('sqlite3_capi-'));
  if (!folder) throw new Error('The cr-sqlite package no longer contains bindings.rs.');
  return path.join(builds, folder, 'out');
}

/**
 * @param {string} name
 * @param {Crate} crate
 * @param {{ work: string, sources: string, libraries: string }} place
 */
function rustcArgs(name, crate, { work, sources, libraries }) {
  const kind = crate.kind ?? 'rlib';
  const isShim = !crate.source.includes('/');
  const source = isShim ? path.join(shims, crate.source) : path.join(sources, 'rs', crate.source);
  // A proc-macro runs inside the compiler, so it is compiled with the standard library.
  const target =
    kind === 'proc-macro'
      ? ['--extern=proc_macro']
      : ['-Copt-level=3', '-Cpanic=abort', '-Crelocation-model=pic'];
  return [
    '--edition=2021',
    '--cap-lints=allow',
    '--cfg=feature="loadable_extension"',
    `--crate-name=${name}`,
    `--crate-type=${kind}`,
    ...target,
    ...crate.needs.map((needed) => `--extern=${needed}`),
    `-L${libraries}`,
    `--out-dir=${libraries}`,
    // Keeps local paths out of the binary and makes the build reproducible.
    `--remap-path-prefix=${work}=crsqlite`,
    `--remap-path-prefix=${shims}=shims`,
    source,
  ];
}

/**
 * Compiles the C part and links everything. Only the entry point is exported, because the process
 * that loads the extension may define symbols with the same names.
 *
 * @param {{ work: string, sources: string, libraries: string, cc: string }} place
 */
async function link({ work, sources, libraries, cc }) {
  const linked = path.join(work, 'linked');
  const bundle = path.join(libraries, 'libcrsql_bundle_static.a');
  await run(cc, [...C_FLAGS, ...C_FILES, bundle, ...linkerFlags(work), '-o', linked], {
    cwd: sources,
  });
  return linked;
}

/** @param {string} work */
function linkerFlags(work) {
  if (process.platform === 'darwin') {
    return [`-Wl,-exported_symbol,_${ENTRY_POINT}`, '-Wl,-dead_strip'];
  }
  if (process.platform !== 'linux') return [];
  const visible = path.join(work, 'visible.map');
  writeFileSync(visible, `{ global: ${ENTRY_POINT}; local: *; };\n`);
  return [
    `-Wl,--version-script=${visible}`,
    '-Wl,-Bsymbolic',
    '-Wl,--gc-sections',
    // Without this, a missing symbol crashes the process when it is first called.
    '-Wl,--no-undefined',
    '-s',
  ];
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options
 */
async function run(program, args, options) {
  const outcome = await capture(program, args, options);
  if (outcome.ok) return;
  throw new Error(
    `${path.basename(program)} failed (${outcome.ending}):\n${lastLines(outcome.output)}`,
  );
}
