// All rows of all synced tables, ordered by key. Devices that exchanged all changes must have equal ones.
import type { Database } from '#main/store/sqlite/database.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';

export function dumpRows(db: Database): { [table: string]: unknown[] } {
  const tables = syncedTables(db).map((table) => {
    const key = db
      .all<{ name: string }>('SELECT name FROM pragma_table_info(?) WHERE pk > 0', table)
      .map((column) => column.name);
    return [table, db.all(`SELECT * FROM "${table}" ORDER BY ${key.join(', ')}`)];
  });
  return Object.fromEntries(tables) as { [table: string]: unknown[] };
}
