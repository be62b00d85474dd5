// A disk that refuses the statements that match, as SQLite does when it is full.
import SQLite from 'better-sqlite3';
import type { Database } from '#main/store/sqlite/database.ts';

/** Returns what makes space again. */
export function fillDisk(db: Database, refused: RegExp): () => void {
  const prepare = db.prepare.bind(db);
  db.prepare = (sql) => {
    if (refused.test(sql)) throw new SQLite.SqliteError('database or disk is full', 'SQLITE_FULL');
    return prepare(sql);
  };
  return () => {
    db.prepare = prepare;
  };
}
