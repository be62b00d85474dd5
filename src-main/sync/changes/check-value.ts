// Checks that a value fits its column. SQLite would refuse some wrong values and accept others that
// our code doesn't expect. JSON of another shape than this version reads is merged all the same.
import { isDeeper } from '#main/boundary/json-depth.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { Value } from '#main/sync/changes/change.ts';
import type { StorageType, SyncColumn, SyncTable } from '#main/sync/changes/sync-schema.ts';
import { changesNumbers } from '#shared/exact-json.ts';
import { flawOf } from '#shared/row-shapes.ts';
import { SYNC_MAX_JSON_DEPTH, SYNC_MAX_VALUE_BYTES } from '#shared/limits.ts';

/** False if the row can be merged, but not acted on. */
export function checkValue(table: SyncTable, column: SyncColumn | null, value: Value): boolean {
  if (column === null) {
    if (value !== null) throw bad(table, null, 'a value, but the row has no such column');
    return true;
  }
  if (value === null) {
    if (!column.isNullable) throw bad(table, column, 'null, but the column requires a value');
    return true;
  }
  if (storageTypeOf(value) !== column.type) throw bad(table, column, 'a value of the wrong type');
  // Counts UTF-16 units for texts: never more than their bytes, and real values are far below.
  const size = typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
  if (size > SYNC_MAX_VALUE_BYTES)
    throw bad(table, column, `${size} bytes, which is over the limit`);
  if (typeof value === 'number' && Number.isNaN(value)) throw bad(table, column, 'NaN');
  if (typeof value !== 'string') return true;
  if (column.isJson) return hasShape(table, column, value);
  if (value.includes('\0')) throw bad(table, column, 'a text with a NUL character');
  return true;
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

function hasShape(table: SyncTable, column: SyncColumn, text: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw bad(table, column, 'a text that is not JSON');
  }
  // Devices write with JSON.stringify, so reading doesn't change what they wrote.
  if (changesNumbers(text)) throw bad(table, column, "a number that JavaScript can't hold");
  if (isDeeper(text, SYNC_MAX_JSON_DEPTH)) {
    throw bad(table, column, `JSON deeper than ${SYNC_MAX_JSON_DEPTH} levels`);
  }
  return flawOf(table.name, column.name, value) === null;
}

function bad(table: SyncTable, column: SyncColumn | null, what: string): Refused {
  const place = column === null ? table.name : `${table.name}.${column.name}`;
  return new Refused(
    'bad-value',
    `The other device sent an invalid value for "${place}": ${what}.`,
  );
}
