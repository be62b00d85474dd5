// The raw exchange of cr-sqlite: every change as it is, applied in one transaction.
import type SQLite from 'better-sqlite3';

export const EXTRACT = `SELECT "table", pk, cid, val, col_version, db_version, site_id, cl, seq
  FROM crsql_changes ORDER BY db_version, seq`;
const APPLY = `INSERT INTO crsql_changes
  ("table", pk, cid, val, col_version, db_version, site_id, cl, seq)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export function applyRaw(to: SQLite.Database, rows: Iterable<unknown[]>): number {
  const insert = to.prepare(APPLY);
  let count = 0;
  to.exec('BEGIN IMMEDIATE');
  for (const row of rows) {
    insert.run(...row);
    count += 1;
  }
  to.exec('COMMIT');
  return count;
}
