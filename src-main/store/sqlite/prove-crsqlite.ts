// Verifies that the loaded extension merges a change from one database into another. Loading alone
// does not detect every broken build.
import { Database } from '#main/store/sqlite/database.ts';

const SCHEMA = `
  CREATE TABLE proof (id TEXT NOT NULL PRIMARY KEY, value INTEGER);
  SELECT crsql_as_crr('proof');`;

export function proveCrsqlite(): void {
  const one = new Database(':memory:');
  const other = new Database(':memory:');
  try {
    for (const db of [one, other]) db.exec(SCHEMA);
    one.run('INSERT INTO proof (id, value) VALUES (?, ?)', 'a', 7n);
    const changes = one
      .prepare('SELECT * FROM crsql_changes')
      .safeIntegers()
      .raw()
      .all() as unknown[][];
    for (const change of changes) {
      other.run('INSERT INTO crsql_changes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', ...change);
    }
    const arrived = other.get<{ value: number; type: string }>(
      'SELECT value, typeof(value) AS type FROM proof',
    );
    if (arrived?.value !== 7 || arrived.type !== 'integer') {
      throw new Error('cr-sqlite loads, but a merged change differs from its original.');
    }
  } finally {
    one.close();
    other.close();
  }
}
