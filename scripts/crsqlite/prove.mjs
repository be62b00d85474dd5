// `prove.mjs FILE FOLDER`: verifies an extension file by merging two databases in FOLDER with it.
// Exits with 0 if the merge is correct; otherwise stderr has the error. It runs in a process of its
// own, because a bad binary may crash it, so the caller removes FOLDER.
//
// Loading alone is no proof: the known faults appear only in crsql_as_crr and in a merge.

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

// Empty text and blob: SQLite passes a NULL pointer. Key 200: one byte with its high bit set.
// Key and amount above 2^53: an integer that passes through a JS number loses precision.
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

  // Equal col_version on both sides: the greater value wins, compared as integers.
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
    // A statement left open inside the extension keeps the connection and the -wal file open.
    assert(!existsSync(`${database.name}-wal`), 'the -wal file remains after close');
  }
}

/**
 * @param {string} file
 * @param {string} extensionFile
 */
function open(file, extensionFile) {
  const database = new Database(file);
  database.defaultSafeIntegers(true);
  database.pragma('journal_mode = WAL');
  loadExtension(database, extensionFile);
  database.exec(SCHEMA);
  return database;
}

/**
 * Names the entry point, because SQLite would derive it from the file name. better-sqlite3's types
 * lack the parameter.
 *
 * @param {any} database
 * @param {string} file
 */
function loadExtension(database, file) {
  database.loadExtension(file, 'sqlite3_crsqlite_init');
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
