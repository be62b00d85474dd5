// The rows of a database that another device would refuse. Rows of our own are never among them.
import { checkRow } from '#main/store/check-row.ts';
import type { Database } from '#main/store/sqlite/database.ts';
import { ROW_SHAPES } from '#shared/row-shapes.ts';

/** As "table:key reason". */
export function refusedByShapes(db: Database): string[] {
  const refused: string[] = [];
  const refusedRows = {
    accept: () => undefined,
    refuse: ({ table, key, reason }: { table: string; key: readonly string[]; reason: string }) => {
      refused.push(`${table}:${key.join('/')} ${reason}`);
      return true;
    },
  };
  for (const table of Object.keys(ROW_SHAPES)) {
    const names = db.values<string>(
      'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk',
      table,
    );
    const cells = names.map((name) => `CAST(${name} AS TEXT)`).join(', ');
    const keys = db.values<string>(`SELECT json_array(${cells}) FROM "${table}"`);
    for (const key of keys) {
      checkRow({ db, refusedRows }, table, JSON.parse(key) as string[], null);
    }
  }
  return refused;
}
