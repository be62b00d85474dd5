// Checks a primary key in cr-sqlite's packed form: the number of parts, then for each part one byte
// (type in the lower three bits, above them the size of its length or number), those bytes, and the
// content. A malformed key crashes cr-sqlite, so only the canonical form passes.
import { isUtf8 } from 'node:buffer';
import { Refused } from '#main/sync/changes/refused.ts';
import type { StorageType } from '#main/sync/changes/sync-schema.ts';
import { SYNC_MAX_KEY_BYTES } from '#shared/limits.ts';

/** SQLite's numbers of its storage types. */
const PACKED_TYPE: { readonly [type in StorageType]: number } = {
  INTEGER: 1,
  REAL: 2,
  TEXT: 3,
  BLOB: 4,
};

/** Returns the first part if it is text: the row's id in the change feed. */
export function checkPackedKey(
  bytes: Buffer,
  table: string,
  types: readonly StorageType[],
): string | null {
  if (bytes[0] !== types.length) throw bad(table, 'a wrong number of parts');
  let at = 1;
  let first: string | null = null;
  for (let part = 0; part < types.length; part += 1) {
    const head = bytes[at];
    const type = types[part] as StorageType;
    if (head === undefined) throw bad(table, 'too few parts');
    if ((head & 7) !== PACKED_TYPE[type]) throw bad(table, `a part that is not ${type}`);
    const width = head >> 3;
    at += 1;
    if (type === 'INTEGER') {
      if (width > 8 || at + width > bytes.length) throw bad(table, 'a truncated number');
      // cr-sqlite omits leading zero bytes.
      if (width > 0 && bytes[at] === 0) throw bad(table, 'a number that is not canonical');
      at += width;
      continue;
    }
    if (type !== 'TEXT') throw bad(table, `a ${type} part, which no key has`);
    if (width > 4 || at + width > bytes.length) throw bad(table, 'a truncated length');
    if (width > 0 && bytes[at] === 0) throw bad(table, 'a length that is not canonical');
    const length = width === 0 ? 0 : bytes.readUIntBE(at, width);
    at += width;
    if (length > SYNC_MAX_KEY_BYTES) throw bad(table, `a part of ${length} bytes`);
    if (at + length > bytes.length) throw bad(table, 'a truncated text');
    const text = bytes.toString('utf8', at, at + length);
    // Invalid UTF-8 decodes to U+FFFD, so only texts with it need the exact check.
    const isText = !text.includes('\uFFFD') || isUtf8(bytes.subarray(at, at + length));
    if (!isText || text.includes('\0')) throw bad(table, 'an invalid text');
    if (part === 0) first = text;
    at += length;
  }
  if (at !== bytes.length) throw bad(table, 'bytes after its last part');
  return first;
}

function bad(table: string, what: string): Refused {
  return new Refused('bad-key', `The other device sent a key of "${table}" with ${what}.`);
}
