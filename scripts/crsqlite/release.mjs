// The extension as upstream released it: one zip archive with one file in it, pinned by hash.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

import { CRSQLITE_VERSION } from './version.mjs';

const ARCHIVE =
  'https://github.com/vlcn-io/cr-sqlite/releases/download/' +
  `v${CRSQLITE_VERSION}/crsqlite-linux-x86_64.zip`;
const ARCHIVE_SHA256 = '8f6fd31a2be2ba8c3101aad067a504a2e63c8e9b51cc4ace786009c02e7ecbae';

// Short: where there is no network we want to go on to the compiler, not to wait.
const ANSWER_WITHIN_MS = 8_000;
const WHOLE_WITHIN_MS = 60_000;

/** Only this archive's hash is known to us, so only this platform can use it. */
export function hasRelease() {
  return process.platform === 'linux' && process.arch === 'x64';
}

/**
 * Fetches the release and writes the extension to `outFile`. Throws when it cannot.
 *
 * @param {string} outFile
 */
export async function downloadRelease(outFile) {
  const archive = await fetchWithin(ARCHIVE);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  if (sha256 !== ARCHIVE_SHA256) throw new Error(`its sha256 is ${sha256}, not the pinned one`);
  writeFileSync(outFile, unzipOne(archive, 'crsqlite.so'), { mode: 0o755 });
}

/** @param {string} url */
async function fetchWithin(url) {
  const control = new AbortController();
  const giveUp = (/** @type {number} */ ms) =>
    setTimeout(() => control.abort(new Error(`no answer within ${ms / 1000} s`)), ms);
  const whole = giveUp(WHOLE_WITHIN_MS);
  const first = giveUp(ANSWER_WITHIN_MS);
  try {
    const response = await fetch(url, { signal: control.signal });
    clearTimeout(first);
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    const { message, cause } = /** @type {Error} */ (error);
    throw new Error(cause instanceof Error ? cause.message : message, { cause: error });
  } finally {
    clearTimeout(first);
    clearTimeout(whole);
  }
}

/**
 * Takes one file out of a zip archive. Enough for an archive whose hash we know, and spares a
 * dependency: neither Node nor a bare Debian can unzip.
 *
 * @param {Buffer} archive
 * @param {string} name
 * @returns {Buffer}
 */
export function unzipOne(archive, name) {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('it is not a zip archive');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = archive.readUInt16LE(at + 28);
    const entry = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (entry === name || entry.endsWith(`/${name}`)) return contentOf(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`it has no ${name} in it`);
}

/**
 * @param {Buffer} archive
 * @param {number} entryAt where its entry in the archive's directory begins
 */
function contentOf(archive, entryAt) {
  const isStored = archive.readUInt16LE(entryAt + 10) === 0;
  const size = archive.readUInt32LE(entryAt + 20);
  const header = archive.readUInt32LE(entryAt + 42);
  // The name and the extra field may be longer here than in the directory.
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(start, start + size);
  return isStored ? packed : inflateRawSync(packed);
}
