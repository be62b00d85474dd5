// Declares the schema level of a database, without a change of its schema.
import { Database } from '#main/store/sqlite/database.ts';

export function setLevel(path: string, level: number): void {
  const db = new Database(path);
  db.exec(`PRAGMA user_version = ${level}`);
  db.close();
}
