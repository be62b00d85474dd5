// Proves an extension file by merging two real databases with it: `prove.mjs FILE FOLDER`. It runs
// as its own process, because a bad binary may take the process down with it; for the same reason
// the caller, not this, removes the folder that the databases are made in.
// Exit code 0 is the proof; anything else, and what is on stderr, says what went wrong.
//
// Loading alone proves little: the faults we know of show only in crsql_as_crr and in a merge. A file
// of our own making writes the log of both databases, too (log-file.c).

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';

import Database from 'better-sqlite3';

const SCHEMA = `
  CREATE TABLE scratch (
    id INTEGER PRIMARY KEY NOT NULL,
    title TEXT NOT NULL DEFAULT '',
    amount INTEGER NOT NULL DEFAULT 0,
    ratio REAL,
    raw BLOB,
    body TEXT NOT NULL DEFAULT '{}',
    kind TEXT GENERATED ALWAYS AS (json_extract(body, '$.kind')) VIRTUAL
  );
  CREATE INDEX scratch_kind ON scratch (kind);
  SELECT crsql_as_crr('scratch');
`;

// Empty text and blob: SQLite has no memory for them. Key 200: one byte with its high bit set.
// Key and amount beyond 2^53: lost wherever an integer passes through a JS number.
const FILL = `
  INSERT INTO scratch (id, title, amount, ratio, raw, body) VALUES
    (1, 'plain', 5, 0.5, x'00ff', '{"kind":"first"}'),
    (200, '', 7, NULL, x'', '{"kind":"second"}'),
    (9007199254740993, 'größer', 9007199254740995, -1.25, NULL, '{}');
`;

const CHANGES = `
  SELECT "table", pk, cid, val, col_version, db_version, site_id, cl, seq FROM crsql_changes`;
const APPLY = `
  INSERT INTO crsql_changes ("table", pk, cid, val, col_version, db_version, site_id, cl, seq)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const ROWS = `
  SELECT *, typeof(id) || ' ' || typeof(amount) || ' ' || typeof(ratio) AS types
  FROM scratch ORDER BY id`;

const [extension, folder] = process.argv.slice(2);
assert(extension && folder, 'usage: prove.mjs FILE FOLDER');
gatherLogWrites(extension);
proveMerge(path.join(folder, 'here.db'), path.join(folder, 'there.db'), extension);

/**
 * @param {string} hereFile
 * @param {string} thereFile
 * @param {string} extensionFile
 */
function proveMerge(hereFile, thereFile, extensionFile) {
  const here = open(hereFile, extensionFile);
  const there = open(thereFile, extensionFile);

  here.exec(FILL);
  merge(here, there);
  assert.deepEqual(there.prepare(ROWS).all(), here.prepare(ROWS).all());
  assert.equal(there.prepare(`SELECT id FROM scratch WHERE kind = 'second'`).pluck().get(), 200n);

  // Both write the same column as often: the greater value wins, compared as integers.
  here.exec(`UPDATE scratch SET amount = 9 WHERE id = 1; DELETE FROM scratch WHERE id = 200`);
  there.exec(`UPDATE scratch SET amount = 10 WHERE id = 1`);
  merge(here, there);
  merge(there, here);
  const merged = here.prepare(ROWS).all();
  assert.deepEqual(there.prepare(ROWS).all(), merged);
  assert.deepEqual(
    merged.map((/** @type {any} */ row) => [row.id, row.amount, row.types]),
    [
      [1n, 10n, 'integer integer real'],
      [9007199254740993n, 9007199254740995n, 'integer integer real'],
    ],
  );

  for (const database of [here, there]) {
    database.exec('SELECT crsql_finalize()');
    database.close();
    // A statement left open inside the extension keeps the connection, and so the -wal, alive.
    assert(!existsSync(`${database.name}-wal`), 'the database does not close');
  }
}

/** @param {string} extensionFile */
function gatherLogWrites(extensionFile) {
  const database = new Database(':memory:');
  loadOurPart(database, extensionFile, 'sqlite3_holdfastlog_init');
  database.close();
}

/**
 * @param {string} file
 * @param {string} extensionFile
 */
function open(file, extensionFile) {
  const database = new Database(file);
  database.defaultSafeIntegers(true);
  database.pragma('journal_mode = WAL');
  loadExtension(database, extensionFile, 'sqlite3_crsqlite_init');
  loadOurPart(database, extensionFile, 'sqlite3_holdfastjson_init');
  database.exec(SCHEMA);
  return database;
}

/**
 * Upstream's has none; a file that cannot be loaded at all says so where cr-sqlite is.
 *
 * @param {any} database
 * @param {string} file
 * @param {string} entryPoint
 */
function loadOurPart(database, file, entryPoint) {
  try {
    loadExtension(database, file, entryPoint);
  } catch {
    // Slower, and as right.
  }
}

/**
 * The types do not know of the entry point; without it SQLite guesses it from the file's name, and a
 * developer's own file may have any name.
 *
 * @param {any} database
 * @param {string} file
 * @param {string} entryPoint
 */
function loadExtension(database, file, entryPoint) {
  database.loadExtension(file, entryPoint);
}

/**
 * @param {import('better-sqlite3').Database} from
 * @param {import('better-sqlite3').Database} to
 */
function merge(from, to) {
  const changes = from.prepare(CHANGES).raw().all();
  const apply = to.prepare(APPLY);
  to.transaction(() => {
    for (const change of changes) apply.run(.../** @type {unknown[]} */ (change));
  })();
}
