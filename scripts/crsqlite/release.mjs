// Downloads upstream's release of the extension: a zip archive, pinned by its sha256.

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

import { CRSQLITE_VERSION } from './version.mjs';

const ARCHIVE =
  'https://github.com/vlcn-io/cr-sqlite/releases/download/' +
  `v${CRSQLITE_VERSION}/crsqlite-linux-x86_64.zip`;
const ARCHIVE_SHA256 = '8f6fd31a2be2ba8c3101aad067a504a2e63c8e9b51cc4ace786009c02e7ecbae';

// Short, because without a network the build from source comes next.
const RESPONSE_TIMEOUT_MS = 5_000;
const DOWNLOAD_TIMEOUT_MS = 60_000;

/** Only the hash of the linux-x86_64 archive is known. */
export function hasRelease() {
  return process.platform === 'linux' && process.arch === 'x64';
}

/**
 * Writes the extension to `outFile`; throws if the download or its hash fails.
 *
 * @param {string} outFile
 */
export async function downloadRelease(outFile) {
  const archive = await download(ARCHIVE);
  const sha256 = createHash('sha256').update(archive).digest('hex');
  if (sha256 !== ARCHIVE_SHA256)
    throw new Error(`its archive has the sha256 ${sha256}, not the pinned one`);
  writeFileSync(outFile, unzipOne(archive, 'crsqlite.so'), { mode: 0o755 });
}

/** @param {string} url */
async function download(url) {
  const control = new AbortController();
  const abortAfter = (/** @type {number} */ ms) =>
    setTimeout(() => control.abort(new Error(`the download timed out after ${ms / 1000} s`)), ms);
  const whole = abortAfter(DOWNLOAD_TIMEOUT_MS);
  const first = abortAfter(RESPONSE_TIMEOUT_MS);
  try {
    const response = await fetch(url, { signal: control.signal });
    clearTimeout(first);
    if (!response.ok) throw new Error(`the server responded with status ${response.status}`);
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
 * Extracts one file from a zip archive. Sufficient for an archive whose hash is known, and avoids a
 * dependency: neither Node nor a minimal Debian can unzip.
 *
 * @param {Buffer} archive
 * @param {string} name
 * @returns {Buffer}
 */
export function unzipOne(archive, name) {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  if (end < 0) throw new Error('the download is not a zip archive');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const nameLength = archive.readUInt16LE(at + 28);
    const entry = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (entry === name || entry.endsWith(`/${name}`)) return contentOf(archive, at);
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  throw new Error(`the archive does not contain ${name}`);
}

/**
 * @param {Buffer} archive
 * @param {number} entryAt offset of its entry in the central directory
 */
function contentOf(archive, entryAt) {
  const isStored = archive.readUInt16LE(entryAt + 10) === 0;
  const size = archive.readUInt32LE(entryAt + 20);
  const header = archive.readUInt32LE(entryAt + 42);
  // Name and extra field may have other lengths here than in the central directory.
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(start, start + size);
  return isStored ? packed : inflateRawSync(packed);
}
