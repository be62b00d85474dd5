// JSON Lines files: written in chunks with a hash, read line by line.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { parseExactJson } from '#shared/exact-json.ts';

const CHUNK_BYTES = 256 * 1024;

export interface FileSummary {
  readonly sha256: string;
  readonly lines: number;
}

export function writeJsonLines(path: string, values: Iterable<unknown>): FileSummary {
  const file = openSync(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let chunk = '';
  let lines = 0;
  const flush = (): void => {
    const bytes = Buffer.from(chunk, 'utf8');
    hash.update(bytes);
    for (let at = 0; at < bytes.length; at += writeSync(file, bytes, at));
    chunk = '';
  };
  try {
    for (const value of values) {
      chunk += `${JSON.stringify(value)}\n`;
      lines += 1;
      if (chunk.length >= CHUNK_BYTES) flush();
    }
    flush();
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return { sha256: hash.digest('hex'), lines };
}

/** Throws if a line is not JSON. */
export function* readJsonLines(path: string): Generator<unknown, void> {
  for (const line of readLines(path)) yield parseExactJson(line);
}

export function hashOfFile(path: string): string {
  const hash = createHash('sha256');
  for (const chunk of readChunks(path)) hash.update(chunk);
  return hash.digest('hex');
}

function* readLines(path: string): Generator<string, void> {
  // Split at newlines in the bytes, so that no multi-byte character is cut.
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of readChunks(path)) {
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10, from)) {
      yield rest.toString('utf8', from, end);
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

function* readChunks(path: string): Generator<Buffer, void> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const read = readSync(file, chunk);
      if (read === 0) return;
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}
