// The one place where history is deleted: the rows leave for `archived_rows`, by triggers, on this
// device and on every other one that hears of it. Never outside a write.
import type { Database } from '#main/store/database.ts';

/** The number of rows. */
export function letLeave(db: Database, table: string, column: string, id: string): number {
  db.run('INSERT OR IGNORE INTO archiving VALUES (1)');
  const rows = db.run(`DELETE FROM ${table} WHERE ${column} = ?`, id);
  db.run('DELETE FROM archiving');
  return rows;
}
