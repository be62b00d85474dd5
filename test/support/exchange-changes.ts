// Exchanges changes between two databases with cr-sqlite directly, without the sync protocol.
import type { Database } from '#main/store/sqlite/database.ts';

/** Applies all changes of `from` to `to` and returns their number. Integers are BigInts. */
export function exchange(from: Database, to: Database, afterVersion = 0n): number {
  const changes = from
    .prepare(
      `SELECT "table", pk, cid, val, col_version, db_version, site_id, cl, seq
       FROM crsql_changes WHERE db_version > ? ORDER BY db_version, seq`,
    )
    .safeIntegers()
    .raw()
    .all(afterVersion) as unknown[][];
  to.write(() => {
    to.changes.markMerge();
    for (const change of changes) {
      to.run(
        `INSERT INTO crsql_changes
           ("table", pk, cid, val, col_version, db_version, site_id, cl, seq)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        ...change,
      );
    }
  });
  return changes.length;
}
