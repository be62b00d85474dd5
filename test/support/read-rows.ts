// Reads all rows of all synced tables from the database of a running host process.
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';

const CLOCK = '__crsql_clock';

export function readRows(dataDir: string): { [table: string]: unknown[] } {
  return reading(dataDir, (sqlite) => {
    const clocks = sqlite
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE ? ORDER BY name")
      .pluck()
      .all(`%${CLOCK}`) as string[];
    const tables = clocks.map((clock) => clock.slice(0, -CLOCK.length));
    return Object.fromEntries(
      tables.map((table) => {
        const key = sqlite
          .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0')
          .pluck()
          .all(table) as string[];
        return [table, sqlite.prepare(`SELECT * FROM "${table}" ORDER BY ${key.join(', ')}`).all()];
      }),
    );
  });
}

export function countEvents(dataDir: string): number {
  return reading(dataDir, (sqlite) =>
    Number(sqlite.prepare('SELECT count(*) FROM events').pluck().get()),
  );
}

function reading<Read>(dataDir: string, read: (sqlite: SQLite.Database) => Read): Read {
  const sqlite = new SQLite(join(dataDir, DATABASE_FILE), { readonly: true });
  try {
    return read(sqlite);
  } finally {
    sqlite.close();
  }
}
