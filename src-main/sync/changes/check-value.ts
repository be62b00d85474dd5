// Checks that a value fits its column. SQLite would refuse some wrong values and accept others that
// our code doesn't expect.
import { Refused } from '#main/sync/changes/refused.ts';
import type { Value } from '#main/sync/changes/change.ts';
import type { StorageType, SyncColumn, SyncTable } from '#main/sync/changes/sync-schema.ts';
import { changesNumbers } from '#shared/exact-json.ts';
import { SYNC_MAX_JSON_DEPTH, SYNC_MAX_VALUE_BYTES } from '#shared/limits.ts';

export function checkValue(table: SyncTable, column: SyncColumn | null, value: Value): void {
  if (column === null) {
    if (value !== null) throw bad(table, null, 'a value, but the row has no such column');
    return;
  }
  if (value === null) {
    if (!column.isNullable) throw bad(table, column, 'null, but the column requires a value');
    return;
  }
  if (storageTypeOf(value) !== column.type) throw bad(table, column, 'a value of the wrong type');
  // Counts UTF-16 units for texts: never more than their bytes, and real values are far below.
  const size = typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
  if (size > SYNC_MAX_VALUE_BYTES)
    throw bad(table, column, `${size} bytes, which is over the limit`);
  if (typeof value === 'number' && Number.isNaN(value)) throw bad(table, column, 'NaN');
  if (typeof value !== 'string') return;
  if (column.isJson) checkJson(table, column, value);
  else if (value.includes('\0')) throw bad(table, column, 'a text with a NUL character');
}

function storageTypeOf(value: Exclude<Value, null>): StorageType {
  switch (typeof value) {
    case 'string':
      return 'TEXT';
    case 'bigint':
      return 'INTEGER';
    case 'number':
      return 'REAL';
    default:
      return 'BLOB';
  }
}

function checkJson(table: SyncTable, column: SyncColumn, text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw bad(table, column, 'a text that is not JSON');
  }
  // Devices write with JSON.stringify, so reading doesn't change what they wrote.
  if (changesNumbers(text)) throw bad(table, column, "a number that JavaScript can't hold");
  // Each level takes two characters, so shorter texts can't be too deep.
  if (text.length > SYNC_MAX_JSON_DEPTH * 2 && depthOf(text) > SYNC_MAX_JSON_DEPTH) {
    throw bad(table, column, `JSON deeper than ${SYNC_MAX_JSON_DEPTH} levels`);
  }
}

/** `text` must be valid JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) at += 1;
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) depth -= 1;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

function bad(table: SyncTable, column: SyncColumn | null, what: string): Refused {
  const place = column === null ? table.name : `${table.name}.${column.name}`;
  return new Refused(
    'bad-value',
    `The other device sent an invalid value for "${place}": ${what}.`,
  );
}
