// The clocks that a local write records for other devices. They must be the same for upstream's
// release and for our build, whose databases merge with each other.
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { loadCrsqlite } from '#main/store/sqlite/connection.ts';

function open(): SQLite.Database {
  const sqlite = new SQLite(':memory:');
  loadCrsqlite(sqlite);
  sqlite.exec(`CREATE TABLE pairs (id TEXT NOT NULL PRIMARY KEY, a TEXT, "it's" TEXT);
    SELECT crsql_as_crr('pairs');
    CREATE TABLE keys (x TEXT NOT NULL, y INTEGER NOT NULL, PRIMARY KEY (x, y));
    SELECT crsql_as_crr('keys');`);
  return sqlite;
}

const CHANGES = `SELECT "table", cid, val, col_version, db_version, seq, cl FROM crsql_changes
  ORDER BY db_version, seq`;

function changes(sqlite: SQLite.Database): unknown {
  return sqlite.prepare(CHANGES).raw().all();
}

describe('clocks of a local write', () => {
  it('[DB-16] every written column gets its own seq, and one transaction one db_version', () => {
    const sqlite = open();
    sqlite.exec(`BEGIN;
      INSERT INTO pairs VALUES ('1', 'a1', NULL);
      INSERT INTO keys VALUES ('k', 1);
      INSERT INTO pairs VALUES ('2', 'a2', 'b2');
      COMMIT;
      UPDATE pairs SET a = 'a3' WHERE id = '1';`);
    expect(changes(sqlite)).toEqual([
      ['pairs', "it's", null, 1, 1, 1, 1],
      ['keys', '-1', null, 1, 1, 2, 1],
      ['pairs', 'a', 'a2', 1, 1, 3, 1],
      ['pairs', "it's", 'b2', 1, 1, 4, 1],
      ['pairs', 'a', 'a3', 2, 2, 0, 1],
    ]);
    sqlite.close();
  });

  it('[DB-16] a row that is inserted again continues its causal length', () => {
    const sqlite = open();
    sqlite.exec(`INSERT INTO pairs VALUES ('1', 'a1', 'b1');
      DELETE FROM pairs;
      INSERT INTO pairs VALUES ('1', 'a2', 'b2');
      INSERT OR IGNORE INTO pairs VALUES ('1', 'a3', 'b3');
      INSERT INTO pairs VALUES ('2', 'a4', 'b4') ON CONFLICT (id) DO UPDATE SET a = excluded.a;
      INSERT INTO pairs VALUES ('2', 'a5', 'b5') ON CONFLICT (id) DO UPDATE SET a = excluded.a;`);
    expect(changes(sqlite)).toEqual([
      ['pairs', '-1', null, 3, 3, 0, 3],
      ['pairs', 'a', 'a2', 1, 3, 1, 3],
      ['pairs', "it's", 'b2', 1, 3, 2, 3],
      ['pairs', "it's", 'b4', 1, 4, 1, 1],
      ['pairs', 'a', 'a5', 2, 5, 0, 1],
    ]);
    sqlite.close();
  });

  it('[DB-16] a rolled back insert leaves no clocks', () => {
    const sqlite = open();
    sqlite.exec(`CREATE TRIGGER no_threes AFTER INSERT ON pairs WHEN NEW.id = '3'
      BEGIN SELECT RAISE(ABORT, 'three'); END;
      BEGIN; INSERT INTO pairs VALUES ('1', 'a1', 'b1');`);
    expect(() => sqlite.exec(`INSERT INTO pairs VALUES ('2', 'a', 'b'), ('3', 'a', 'b')`)).toThrow(
      'three',
    );
    sqlite.exec(`INSERT INTO pairs VALUES ('4', 'a4', 'b4'); COMMIT`);
    expect(sqlite.prepare('SELECT id FROM pairs__crsql_pks ORDER BY id').pluck().all()).toEqual([
      '1',
      '4',
    ]);
    expect(changes(sqlite)).toEqual([
      ['pairs', 'a', 'a1', 1, 1, 0, 1],
      ['pairs', "it's", 'b1', 1, 1, 1, 1],
      ['pairs', 'a', 'a4', 1, 1, 4, 1],
      ['pairs', "it's", 'b4', 1, 1, 5, 1],
    ]);
    sqlite.close();
  });
});
