// `npm run setup`: provides the cr-sqlite extension for this machine.
//
// Sources, in this order: the file named by HOLDFAST_CRSQLITE; a verified file in the cache;
// upstream's release; a build from the sources in node_modules. Release and build are the same code
// (crsqlite/edits.mjs). Every file must pass a trial merge of two databases on this machine
// (crsqlite/prove.mjs) before it is used. HOLDFAST_NO_DOWNLOAD=1 skips the release,
// HOLDFAST_NO_APT=1 keeps the build from installing compilers.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildCrsqlite, recipeFiles } from './crsqlite/build.mjs';
import { findCompilers } from './crsqlite/compilers.mjs';
import { downloadRelease, hasRelease } from './crsqlite/release.mjs';
import { CRSQLITE_VERSION } from './crsqlite/version.mjs';
import { cacheFolder, isMainModule } from './lib/paths.mjs';
import { capture, lastLines, sayOnStderr } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';

/** @typedef {import('./lib/processes.mjs').Say} Say */
/** @typedef {'upstream release' | 'built from source' | 'own file'} Origin */
/** @typedef {{ file: string, sha256: string, origin: Origin }} Made */

const PROOF = fileURLToPath(new URL('crsqlite/prove.mjs', import.meta.url));
const ENDINGS = /** @type {Record<string, string>} */ ({ darwin: 'dylib', win32: 'dll' });
const FILE_NAME = `crsqlite.${ENDINGS[process.platform] ?? 'so'}`;

/** The extension cannot be provided on this machine; the message says why and what to do. */
export class CrsqliteUnavailable extends Error {
  /** @override */
  name = 'CrsqliteUnavailable';
}

/**
 * @param {{ say?: Say, force?: boolean }} [options] `force` ignores the cache
 * @returns {Promise<string>} the path of an extension that passed the trial merge on this machine
 */
export async function ensureCrsqlite({ say = sayOnStderr, force = false } = {}) {
  const folder = cacheFolder('crsqlite');
  const cached = path.join(folder, FILE_NAME);
  const own = process.env['HOLDFAST_CRSQLITE'];
  // Our scripts pass the cached file to child processes in the same variable.
  if (own && path.resolve(own) !== cached) return useOwnFile(path.resolve(own), folder);

  const record = path.join(folder, 'verified.json');
  if (!force && isVerified(cached, record)) return cached;
  mkdirSync(folder, { recursive: true });
  // Inside the cache folder, so that publishing the file is one atomic rename.
  const work = mkdtempSync(path.join(folder, 'making-'));
  try {
    const made = await make(path.join(work, FILE_NAME), say);
    publish(made, { work, cached, record });
    say(`cr-sqlite ${CRSQLITE_VERSION} is ready (${made.origin})`);
    return cached;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * Verifies the developer's own file once per content and uses it in place.
 *
 * @param {string} file
 * @param {string} folder
 */
async function useOwnFile(file, folder) {
  const sha256 = sha256Of([file]);
  if (sha256 === null) {
    throw new CrsqliteUnavailable(
      `HOLDFAST_CRSQLITE names ${file}, which cannot be read. Correct the variable, or unset it ` +
        `to use Holdfast's own extension.`,
    );
  }
  const record = path.join(folder, `verified-${sha256.slice(0, 16)}.json`);
  if (isVerified(file, record)) return file;
  const flaw = await findFlaw(file);
  if (flaw !== null) {
    throw new CrsqliteUnavailable(
      `HOLDFAST_CRSQLITE names ${file}, which does not work on this machine: ${flaw}\n` +
        `Correct the variable, or unset it to use Holdfast's own extension.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  writeAtomically(record, describe({ sha256, origin: 'own file' }));
  return file;
}

/**
 * @param {string} file where to make it
 * @param {Say} say
 * @returns {Promise<Made>}
 */
async function make(file, say) {
  const release = await fromRelease(file);
  return 'sha256' in release ? release : fromSource(file, release.unavailable, say);
}

/**
 * @param {string} file
 * @returns {Promise<Made | { unavailable: string }>} `unavailable` is the reason
 */
async function fromRelease(file) {
  if (!hasRelease()) return { unavailable: 'there is none for this platform' };
  if (process.env['HOLDFAST_NO_DOWNLOAD'] === '1') {
    return { unavailable: 'HOLDFAST_NO_DOWNLOAD is set' };
  }
  try {
    await downloadRelease(file);
    const flaw = await findFlaw(file);
    return flaw === null
      ? { file, sha256: hashed(file), origin: 'upstream release' }
      : { unavailable: flaw };
  } catch (error) {
    return { unavailable: /** @type {Error} */ (error).message };
  }
}

/**
 * @param {string} file
 * @param {string} noRelease why upstream's release is not used
 * @param {Say} say
 * @returns {Promise<Made>}
 */
async function fromSource(file, noRelease, say) {
  try {
    const compilers = await findCompilers(say);
    say('building cr-sqlite from source (once, up to 20 s)');
    await buildCrsqlite({ outFile: file, ...compilers });
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new CrsqliteUnavailable(
      `Could not provide cr-sqlite, the SQLite extension that Holdfast merges data with. ` +
        `Building it failed: ${message}\nUpstream's release is not used: ${noRelease}.\n` +
        `Nothing was changed. Fix one of the two, then run "npm run setup" again.`,
      { cause: error },
    );
  }
  const flaw = await findFlaw(file);
  if (flaw === null) return { file, sha256: hashed(file), origin: 'built from source' };
  throw new CrsqliteUnavailable(
    `cr-sqlite was built, but does not work: ${flaw}\nThe file was discarded. Try another version ` +
      `of Rust, or name a working file in HOLDFAST_CRSQLITE.`,
  );
}

/**
 * Runs the trial merge in a child process, because a bad binary may crash the process that loads it.
 *
 * @param {string} file
 * @returns {Promise<string | null>} what is wrong with the file, or null
 */
async function findFlaw(file) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'holdfast-proof-'));
  const outcome = await capture(process.execPath, [PROOF, file, folder], { timeoutMs: 60_000 });
  rmSync(folder, { recursive: true, force: true });
  if (outcome.ok) return null;
  const message = /^\w*Error.*$/m.exec(outcome.output)?.[0] ?? lastLines(outcome.output, 1);
  return `the trial merge failed (${[outcome.ending, message].filter(Boolean).join('; ')})`;
}

/**
 * Writes the file first and its record last. A reader in between sees a hash that does not match
 * and makes the file again, so only the recorded file is ever used. Builds are reproducible: two
 * processes that publish at the same time write the same bytes.
 *
 * @param {Made} made
 * @param {{ work: string, cached: string, record: string }} places
 */
function publish(made, { work, cached, record }) {
  renameSync(made.file, cached);
  writeAtomically(record, describe(made), work);
}

/** @param {{ sha256: string, origin: Origin }} made */
function describe({ sha256, origin }) {
  return { ...conditions(), sha256, origin, verifiedAt: new Date().toISOString() };
}

/** A verification is valid for these values; if any of them changes, the file is made again. */
function conditions() {
  return {
    version: CRSQLITE_VERSION,
    platform: process.platform,
    arch: process.arch,
    recipe: sha256Of([...recipeFiles(), PROOF]),
  };
}

/**
 * @param {string} file
 * @param {string} record
 */
function isVerified(file, record) {
  try {
    const written = JSON.parse(readFileSync(record, 'utf8'));
    const expected = { ...conditions(), sha256: hashed(file) };
    return Object.entries(expected).every(([name, value]) => written[name] === value);
  } catch {
    return false;
  }
}

/**
 * @param {string} file
 * @param {object} content
 * @param {string} [folder] for the unfinished file
 */
function writeAtomically(file, content, folder = path.dirname(file)) {
  const unfinished = path.join(folder, `${path.basename(file)}.${process.pid}`);
  writeFileSync(unfinished, `${JSON.stringify(content, null, 2)}\n`);
  renameSync(unfinished, file);
}

/** @param {string} file */
function hashed(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/**
 * @param {string[]} files
 * @returns {string | null} null if one of them cannot be read
 */
function sha256Of(files) {
  try {
    const hash = createHash('sha256');
    for (const file of files) hash.update(readFileSync(file));
    return hash.digest('hex');
  } catch {
    return null;
  }
}

if (isMainModule(import.meta.url)) {
  await useRightNode(import.meta.url);
  try {
    const file = await ensureCrsqlite({ force: process.argv.includes('--force') });
    process.stdout.write(`${file}\n`);
  } catch (error) {
    if (!(error instanceof CrsqliteUnavailable)) throw error;
    sayOnStderr(error.message);
    process.exitCode = 1;
  }
}
