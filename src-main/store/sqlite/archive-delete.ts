// The only place that deletes history. Triggers copy the rows into `archived_rows` on this device
// and on every device that merges the delete. Call inside a write.
import type { Database } from '#main/store/sqlite/database.ts';

/** Returns the number of rows. */
export function archiveDelete(db: Database, table: string, column: string, id: string): number {
  db.run('INSERT OR IGNORE INTO archiving VALUES (1)');
  const rows = db.run(`DELETE FROM ${table} WHERE ${column} = ?`, id);
  db.run('DELETE FROM archiving');
  return rows;
}
