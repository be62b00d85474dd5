// Files of one JSON value a line: written in pieces with their hash, read line by line.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

const PIECE_BYTES = 256 * 1024;

export interface Written {
  readonly sha256: string;
  readonly lines: number;
}

export function writeJsonLines(path: string, values: Iterable<unknown>): Written {
  const file = openSync(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let piece = '';
  let lines = 0;
  const flush = (): void => {
    const bytes = Buffer.from(piece, 'utf8');
    hash.update(bytes);
    for (let at = 0; at < bytes.length; at += writeSync(file, bytes, at));
    piece = '';
  };
  try {
    for (const value of values) {
      piece += `${JSON.stringify(value)}\n`;
      lines += 1;
      if (piece.length >= PIECE_BYTES) flush();
    }
    flush();
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return { sha256: hash.digest('hex'), lines };
}

/** Throws where a line is not JSON. */
export function* readJsonLines(path: string): Generator<unknown, void> {
  for (const line of readLines(path)) yield JSON.parse(line);
}

export function hashOfFile(path: string): string {
  const hash = createHash('sha256');
  for (const piece of readPieces(path)) hash.update(piece);
  return hash.digest('hex');
}

function* readLines(path: string): Generator<string, void> {
  // Cut where lines end, never within a letter.
  let rest: Buffer = Buffer.alloc(0);
  for (const piece of readPieces(path)) {
    rest = Buffer.concat([rest, piece]);
    let from = 0;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10, from)) {
      yield rest.toString('utf8', from, end);
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
  if (rest.length > 0) yield rest.toString('utf8');
}

function* readPieces(path: string): Generator<Buffer, void> {
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      const read = readSync(file, piece);
      if (read === 0) return;
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}
