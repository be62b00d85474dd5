// The primary key of a change, as cr-sqlite packs it: the number of parts, then for each part one
// byte (type in the lower three bits, above them how many bytes its length or number has), these
// bytes, and the content. cr-sqlite trusts it: a wrong one ends the process. So it is read here
// first, and only the one form that cr-sqlite itself would write is let through.
import { isUtf8 } from 'node:buffer';
import { Refused } from '#main/sync/changes/refused.ts';
import type { StorageType } from '#main/sync/changes/sync-schema.ts';
import { SYNC_MAX_KEY_BYTES } from '#shared/limits.ts';

/** As SQLite numbers them. */
const PACKED_TYPE: { readonly [type in StorageType]: number } = {
  INTEGER: 1,
  REAL: 2,
  TEXT: 3,
  BLOB: 4,
};

/** Returns the first part where it is text: what the change feed calls the row. */
export function checkPackedKey(
  bytes: Buffer,
  table: string,
  types: readonly StorageType[],
): string | null {
  if (bytes[0] !== types.length) throw bad(table, 'the wrong number of parts');
  let at = 1;
  let first: string | null = null;
  for (let part = 0; part < types.length; part += 1) {
    const head = bytes[at];
    const type = types[part] as StorageType;
    if (head === undefined) throw bad(table, 'too few parts');
    if ((head & 7) !== PACKED_TYPE[type]) throw bad(table, `no ${type} where one belongs`);
    const width = head >> 3;
    at += 1;
    if (type === 'INTEGER') {
      if (width > 8 || at + width > bytes.length) throw bad(table, 'a number that is cut off');
      // cr-sqlite leaves out leading zero bytes, so nothing may begin with one.
      if (width > 0 && bytes[at] === 0) throw bad(table, 'a number in an unusual form');
      at += width;
      continue;
    }
    if (type !== 'TEXT') throw bad(table, `a ${type}, which no key of ours has`);
    if (width > 4 || at + width > bytes.length) throw bad(table, 'a length that is cut off');
    if (width > 0 && bytes[at] === 0) throw bad(table, 'a length in an unusual form');
    const length = width === 0 ? 0 : bytes.readUIntBE(at, width);
    at += width;
    if (length > SYNC_MAX_KEY_BYTES) throw bad(table, `a part of ${length} bytes`);
    if (at + length > bytes.length) throw bad(table, 'a text that is cut off');
    const text = bytes.toString('utf8', at, at + length);
    // What is no UTF-8 is decoded to a sign that says so; only then it is looked at more closely.
    const isText = !text.includes('\uFFFD') || isUtf8(bytes.subarray(at, at + length));
    if (!isText || text.includes('\0')) throw bad(table, 'a text that is none');
    if (part === 0) first = text;
    at += length;
  }
  if (at !== bytes.length) throw bad(table, 'something behind its last part');
  return first;
}

function bad(table: string, what: string): Refused {
  return new Refused('bad-key', `The other device sent a key for "${table}" that has ${what}.`);
}
