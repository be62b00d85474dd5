// Checks rows of synced tables against their shapes and records those that this device can't act on.
// Called for what a merge brought, and at start for rows that were refused before.
import type { Database } from '#main/store/sqlite/database.ts';
import type { RefusedRowStore } from '#main/store/tables/refused-rows.ts';
import { refusedId } from '#main/store/sqlite/refused-set.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';
import { flawOf, ROW_SHAPES } from '#shared/row-shapes.ts';

interface Parts {
  readonly db: Database;
  readonly refusedRows: RefusedRowStore;
}

interface CheckParts {
  readonly db: Database;
  readonly refusedRows: Pick<RefusedRowStore, 'accept' | 'refuse'>;
}

/** Records the row as refused, or as readable again. `key`: the parts of its primary key. */
export function checkRow(
  { db, refusedRows }: CheckParts,
  table: string,
  key: readonly string[],
  deviceId: string | null,
): void {
  const found = findFlaw(db, table, key);
  if (found.reason === null) return refusedRows.accept(refusedId(table, key.join('/')));
  const { reason, workflowId } = found;
  refusedRows.refuse({ table, key, workflowId, deviceId, reason });
}

/** At start: an update of Holdfast may read what the former version could not. */
export function checkRefusedAgain(parts: Parts): void {
  parts.db.write(() => {
    for (const row of parts.refusedRows.list()) {
      if (Object.hasOwn(ROW_SHAPES, row.table)) checkRow(parts, row.table, row.key, row.deviceId);
      else parts.refusedRows.accept(row.id);
    }
  });
}

interface Found {
  readonly reason: string | null;
  readonly workflowId: string | null;
}

const READABLE: Found = { reason: null, workflowId: null };

function findFlaw(db: Database, table: string, key: readonly string[]): Found {
  const shapes = Object.keys(ROW_SHAPES[table] ?? {});
  const keyNames = keyColumns(db, table);
  const row = db.get<{ readonly [column: string]: unknown }>(
    `SELECT ${[...shapes, ...keyNames, workflowColumn(table)].join(', ')} FROM "${table}"
     WHERE ${keyNames.map((name) => `${name} = ?`).join(' AND ')}`,
    ...key,
  );
  if (!row) return READABLE;
  const named = row['workflowId'];
  const workflowId = isId(named) ? named : null;
  if (row['facts'] === '{}' && hasMoreThanFacts(table, row)) {
    return { reason: 'facts: is missing', workflowId };
  }
  for (const column of shapes) {
    const text = row[column];
    if (typeof text !== 'string') continue;
    const reason = flawOf(table, column, JSON.parse(text));
    if (reason !== null) return { reason, workflowId };
  }
  return { reason: flawOfKey(table, key, row), workflowId };
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH;
}

/** No device counts so far; a larger one could not be exceeded by the next claim. */
const MAX_EPOCH = 1_000_000_000;

function flawOfKey(
  table: string,
  keyOf: readonly string[],
  row: { readonly [column: string]: unknown },
): string | null {
  if (!isId(keyOf[0])) return 'id: is empty or too long';
  if (table !== 'ownership_claims') return null;
  const epoch = Number(row['epoch']);
  return epoch >= 1 && epoch <= MAX_EPOCH ? null : `epoch: ${epoch} is impossible`;
}

/** `facts` are written first, so nothing can be there without them. */
function hasMoreThanFacts(table: string, row: { readonly [column: string]: unknown }): boolean {
  return Object.keys(ROW_SHAPES[table] ?? {}).some(
    (column) =>
      column !== 'facts' &&
      ![null, '{}', '[]', 'null', WAITING].includes(row[column] as string | null),
  );
}

/** The default of a decision's outcome. */
const WAITING = '{"status":"waiting"}';

function keyColumns(db: Database, table: string): string[] {
  return db.values<string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk', table);
}

/** Where the row names its workflow. */
function workflowColumn(table: string): string {
  switch (table) {
    case 'workflows':
      return 'id AS workflowId';
    case 'automation_runs':
      return 'automation_id AS workflowId';
    case 'artifacts':
    case 'automation_side_effects':
    case 'automation_side_effect_runs':
    case 'devices':
    case 'reservations':
    case 'run_events':
      return 'NULL AS workflowId';
    default:
      return 'workflow_id AS workflowId';
  }
}

/** The parts of a packed key of cr-sqlite, numbers as text: JavaScript can't hold each of them. */
export function keyParts(db: Database, packed: Uint8Array): string[] {
  const sql = 'SELECT CAST(cell AS TEXT) FROM crsql_unpack_columns WHERE package = ?';
  return db.values<string>(sql, packed);
}
