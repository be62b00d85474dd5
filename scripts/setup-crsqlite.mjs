// Makes the cr-sqlite extension for this machine and proves that it works: `npm run setup`.
//
// In this order: a file of the developer's own (HOLDFAST_CRSQLITE); one made earlier; a build from
// the sources in node_modules with the compilers that are here; upstream's release, which lacks what
// makes ours faster; a build with compilers that are fetched for it. Whatever the way, nothing is
// returned that has not merged two databases on this machine (crsqlite/prove.mjs).
// HOLDFAST_NO_DOWNLOAD=1 and HOLDFAST_NO_APT=1 forbid what their names say.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildCrsqlite, recipeFiles } from './crsqlite/build.mjs';
import { findCompilers, hasCompilers } from './crsqlite/compilers.mjs';
import { downloadRelease, hasRelease } from './crsqlite/release.mjs';
import { CRSQLITE_VERSION } from './crsqlite/version.mjs';
import { cacheFolder, isStarted } from './lib/places.mjs';
import { capture, lastLines, sayOnStderr } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';

/** @typedef {import('./lib/processes.mjs').Say} Say */

const PROOF = fileURLToPath(new URL('crsqlite/prove.mjs', import.meta.url));
const ENDINGS = /** @type {Record<string, string>} */ ({ darwin: 'dylib', win32: 'dll' });
const FILE_NAME = `crsqlite.${ENDINGS[process.platform] ?? 'so'}`;

/** The extension cannot be had on this machine; the message says why and what to do. */
export class CrsqliteUnavailable extends Error {
  /** @override */
  name = 'CrsqliteUnavailable';
}

/**
 * @param {{ say?: Say, force?: boolean }} [options] `force` makes it anew
 * @returns {Promise<string>} the path of an extension that has proven itself on this machine
 */
export async function ensureCrsqlite({ say = sayOnStderr, force = false } = {}) {
  const folder = cacheFolder('crsqlite');
  const cached = path.join(folder, FILE_NAME);
  const own = process.env['HOLDFAST_CRSQLITE'];
  // Scripts of ours hand the cached file on by this variable; that is no file of the developer's.
  if (own && path.resolve(own) !== cached) return useOwnFile(path.resolve(own), folder);

  const record = path.join(folder, 'verified.json');
  if (!force && isVerified(cached, record)) return cached;
  mkdirSync(folder, { recursive: true });
  // On the same disk as its final place, so that publishing it is one rename.
  const work = mkdtempSync(path.join(folder, 'making-'));
  try {
    const made = await make(path.join(work, FILE_NAME), say);
    publish(made, { work, cached, record });
    say(`cr-sqlite ${CRSQLITE_VERSION} is ready (${made.how})`);
    return cached;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * A file of the developer's own is proven once for each content, and never copied.
 *
 * @param {string} file
 * @param {string} folder
 */
async function useOwnFile(file, folder) {
  const sha256 = sha256Of([file]);
  if (sha256 === null) {
    throw new CrsqliteUnavailable(
      `HOLDFAST_CRSQLITE names ${file}, which cannot be read. Correct it, or unset it to let ` +
        `Holdfast make the extension itself.`,
    );
  }
  const record = path.join(folder, `verified-${sha256.slice(0, 16)}.json`);
  if (isVerified(file, record)) return file;
  const flaw = await findFlaw(file);
  if (flaw !== null) {
    throw new CrsqliteUnavailable(
      `the extension that HOLDFAST_CRSQLITE names, ${file}, does not work here: ${flaw}\n` +
        `Correct it, or unset it to let Holdfast make the extension itself.`,
    );
  }
  mkdirSync(folder, { recursive: true });
  writeAtomically(record, describe({ sha256, how: 'given by HOLDFAST_CRSQLITE' }));
  return file;
}

/** @typedef {{ file: string, sha256: string, how: string }} Made */

/**
 * @param {string} file where to make it
 * @param {Say} say
 * @returns {Promise<Made>}
 */
async function make(file, say) {
  if (await hasCompilers()) {
    try {
      return await fromSources(file, say);
    } catch (error) {
      const released = await fromRelease(file, say);
      if (released) return released;
      throw error;
    }
  }
  return (await fromRelease(file, say)) ?? fromSources(file, say);
}

/**
 * @param {string} file
 * @param {Say} say
 * @returns {Promise<Made | null>} null when that is no way here
 */
async function fromRelease(file, say) {
  if (!hasRelease() || process.env['HOLDFAST_NO_DOWNLOAD'] === '1') return null;
  try {
    await downloadRelease(file);
    const flaw = await findFlaw(file);
    if (flaw === null) return { file, sha256: hashed(file), how: 'upstream release' };
    say(`upstream's cr-sqlite does not work here: ${flaw}`);
  } catch (error) {
    say(`no upstream cr-sqlite (${/** @type {Error} */ (error).message})`);
  }
  return null;
}

/**
 * @param {string} file
 * @param {Say} say
 * @returns {Promise<Made>}
 */
async function fromSources(file, say) {
  try {
    const compilers = await findCompilers(say);
    say('building cr-sqlite from its sources (once, up to 20 s)');
    await buildCrsqlite({ outFile: file, ...compilers });
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new CrsqliteUnavailable(
      `cr-sqlite, which Holdfast stores and merges its data with, could not be made: ` +
        `${message}\nWhen that is mended, run "npm run setup" again. Nothing was changed.`,
      { cause: error },
    );
  }
  const flaw = await findFlaw(file);
  if (flaw === null) return { file, sha256: hashed(file), how: 'built from sources' };
  throw new CrsqliteUnavailable(
    `cr-sqlite was built, but does not work: ${flaw}\nIt was thrown away. Try another version ` +
      `of Rust, or name a working file in HOLDFAST_CRSQLITE.`,
  );
}

/**
 * In a process of its own: a bad binary may crash the one that loads it.
 *
 * @param {string} file
 * @returns {Promise<string | null>} what is wrong with it, or null when it has proven itself
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
 * The file first, its record last: whoever reads in between sees a hash that does not match and
 * makes it anew, but never uses a file that is not the one on record. Builds are reproducible, so
 * two processes that publish at once write the same.
 *
 * @param {Made} made
 * @param {{ work: string, cached: string, record: string }} places
 */
function publish(made, { work, cached, record }) {
  renameSync(made.file, cached);
  writeAtomically(record, describe(made), work);
}

/** @param {{ sha256: string, how: string }} made */
function describe({ sha256, how }) {
  return { ...conditions(), sha256, how, verifiedAt: new Date().toISOString() };
}

/** What a proof holds for; when any of it differs, the file is made and proven anew. */
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
 * @returns {string | null} null when one of them cannot be read
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

if (isStarted(import.meta.url)) {
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
