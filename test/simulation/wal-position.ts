// Where the WAL of an open database ends, read from SQLite's index of it (the -shm file, see
// https://sqlite.org/walformat.html). The file of the WAL is longer than its content after a restart.
import { existsSync, openSync, readSync } from 'node:fs';

export interface WalPosition {
  /** Changes whenever the WAL starts again from its beginning, which a complete checkpoint precedes. */
  readonly salt: string;
  readonly frames: number;
  /** Frames that a checkpoint has copied to the database file. */
  readonly copied: number;
  readonly pageBytes: number;
}

export const NOTHING_WRITTEN: WalPosition = { salt: '', frames: 0, copied: 0, pageBytes: 0 };

const INDEX_BYTES = 100;
const PAGE_SIZE_AT = 14;
const FRAMES_AT = 16;
const SALT_AT = 32;
const COPIED_AT = 96;

/** Closing the file ends SQLite's locks on it, so it is closed after the database. */
export function openWalIndex(database: string): number | undefined {
  return existsSync(`${database}-shm`) ? openSync(`${database}-shm`, 'r') : undefined;
}

export function readWalPosition(index: number): WalPosition {
  const bytes = Buffer.alloc(INDEX_BYTES);
  readSync(index, bytes, 0, INDEX_BYTES, 0);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  // The index is in the byte order of the machine; all that run the tests are little endian.
  return {
    salt: bytes.subarray(SALT_AT, SALT_AT + 8).toString('hex'),
    frames: view.getUint32(FRAMES_AT, true),
    copied: view.getUint32(COPIED_AT, true),
    pageBytes: view.getUint16(PAGE_SIZE_AT, true),
  };
}
