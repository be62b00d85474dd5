// Whether a value fits its column: what SQLite would refuse, or take and then serve to code that
// does not expect it, is refused before.
import { Refused } from '#main/sync/changes/refused.ts';
import type { Value } from '#main/sync/changes/change.ts';
import type { StorageType, SyncColumn, SyncTable } from '#main/sync/changes/sync-schema.ts';
import { SYNC_MAX_JSON_DEPTH, SYNC_MAX_VALUE_BYTES } from '#shared/limits.ts';

export function checkValue(table: SyncTable, column: SyncColumn | null, value: Value): void {
  if (column === null) {
    if (value !== null) throw bad(table, null, 'a value where there is none');
    return;
  }
  if (value === null) {
    if (!column.isNullable) throw bad(table, column, 'nothing, which it cannot be');
    return;
  }
  if (storageTypeOf(value) !== column.type) throw bad(table, column, 'a value of another type');
  // In letters, of which a text has at most as many as bytes: ours are far from either.
  const size = typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
  if (size > SYNC_MAX_VALUE_BYTES) throw bad(table, column, `${size} bytes, which is too many`);
  if (typeof value === 'number' && Number.isNaN(value)) throw bad(table, column, 'no number');
  if (typeof value !== 'string') return;
  if (column.isJson) checkJson(table, column, value);
  else if (value.includes('\0')) throw bad(table, column, 'a text that is none');
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
    throw bad(table, column, 'a text that is no JSON');
  }
  // Each level takes two characters: shorter texts cannot be too deep.
  if (text.length > SYNC_MAX_JSON_DEPTH * 2 && depthOf(text) > SYNC_MAX_JSON_DEPTH) {
    throw bad(table, column, `JSON deeper than ${SYNC_MAX_JSON_DEPTH} levels`);
  }
}

/** Of a text that is known to be JSON. */
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
  return new Refused('bad-value', `The other device sent for "${place}" ${what}.`);
}
