import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { describeSchema, syncedTables } from '#main/store/sqlite/describe-schema.ts';
import {
  FutureDatabaseError,
  latestVersion,
  loadMigrations,
  migrateFile,
  MigrationError,
  type Migration,
} from '#main/store/sqlite/migrate.ts';
import { MAX_MIGRATION_BACKUPS } from '#shared/limits.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const migrations = loadMigrations();
const upTo = (version: number): Migration[] => migrations.slice(0, version);

function open(path: string): Database {
  const db = new Database(path);
  onTestFinished(() => db.close());
  return db;
}

function migrated(version = migrations.length): Database {
  const path = join(tempFolder(), 'a.db');
  migrateFile(path, upTo(version));
  return open(path);
}

const columnsOf = (db: Database, table: string): string[] =>
  db.all<{ name: string }>('SELECT name FROM pragma_table_xinfo(?)', table).map(({ name }) => name);
const indexesOf = (db: Database, table: string): string[] =>
  db.all<{ name: string }>('SELECT name FROM pragma_index_list(?)', table).map(({ name }) => name);
const hashOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');

describe('each migration', () => {
  it('[MG-1] 0001: settings are local', () => {
    const db = migrated(1);
    expect(columnsOf(db, 'settings')).toEqual(['key', 'value', 'updated_at']);
    expect(syncedTables(db)).toEqual([]);
    expect(() => db.run(`INSERT INTO settings VALUES ('k', 'no json', 1)`)).toThrow('CHECK');
  });

  it('[MG-1] 0002: workflows and scripts are synced and have their columns', () => {
    const db = migrated(2);
    expect(syncedTables(db)).toEqual(['scripts', 'workflows']);
    expect(columnsOf(db, 'workflows')).toEqual(
      expect.arrayContaining(['handler_config', 'consumer_sleep_until', 'name', 'status']),
    );
    expect(columnsOf(db, 'scripts')).toEqual(
      expect.arrayContaining(['id', 'workflow_id', 'sha', 'code', 'created_at']),
    );
  });

  it('[MG-1] 0003: script runs are synced; run contexts and lane validation are local, with the names of spec 000', () => {
    const db = migrated(3);
    expect(syncedTables(db)).toContain('script_runs');
    expect(columnsOf(db, 'script_runs')).toEqual(
      expect.arrayContaining([
        'trigger',
        'handler_run_count',
        'start_request_id',
        'terminal_event_id',
        'run_start_sha',
        'run_end_sha',
        'flags',
        'status',
      ]),
    );
    expect(columnsOf(db, 'run_contexts')).toEqual([
      'workflow_id',
      'lane',
      'version',
      'active_run_id',
      'sandbox_id',
      'last_accepted_seq',
      'updated_at',
    ]);
    expect(indexesOf(db, 'run_contexts')).toContain('idx_run_contexts_active_run');
    expect(indexesOf(db, 'script_runs')).toContain('idx_script_runs_lane');
    expect(syncedTables(db)).not.toContain('run_contexts');
    const insert = `INSERT INTO lane_validation VALUES ('w', 'main', 's', 'valid', '[]', 1)`;
    db.run(insert);
    expect(() => db.run(insert)).toThrow('UNIQUE');
  });

  it('[MG-1] 0004: the run log has every field of spec 001; snapshots are local', () => {
    const db = migrated(4);
    expect(columnsOf(db, 'run_events')).toEqual(
      expect.arrayContaining([
        'run_id',
        'idempotency_key',
        'run_seq',
        'event_id',
        'event_type',
        'emitted_at',
        'persisted_at',
        'tenant_id',
        'project_id',
        'environment_id',
        'plan_id',
        'plan_version',
        'engine_attempt_id',
        'logical_attempt_id',
        'step_id',
        'payload',
      ]),
    );
    expect(syncedTables(db)).toContain('run_events');
    expect(syncedTables(db)).not.toContain('run_snapshots');
  });

  it('[MG-1] 0005: topics and events have the columns and indexes of spec 002', () => {
    const db = migrated(5);
    expect(columnsOf(db, 'topics')).toEqual(
      expect.arrayContaining(['id', 'workflow_id', 'name', 'created_at']),
    );
    expect(columnsOf(db, 'events')).toEqual(
      expect.arrayContaining([
        'id',
        'topic_id',
        'workflow_id',
        'message_id',
        'title',
        'payload',
        'status',
        'reserved_by_run_id',
        'created_by_run_id',
        'attempt_number',
        'created_at',
        'updated_at',
      ]),
    );
    expect(indexesOf(db, 'events')).toEqual(
      expect.arrayContaining(['idx_events_topic_status', 'idx_events_workflow']),
    );
  });

  it('[MG-1] 0006: handler runs have the columns and indexes of spec 002', () => {
    const db = migrated(6);
    expect(columnsOf(db, 'handler_runs')).toEqual(
      expect.arrayContaining([
        'id',
        'script_run_id',
        'workflow_id',
        'handler_type',
        'handler_name',
        'phase',
        'prepare_result',
        'input_state',
        'output_state',
        'start_timestamp',
        'end_timestamp',
        'error',
        'error_type',
        'cost',
        'logs',
        'retry_of',
        'resume_phase',
        'reason',
      ]),
    );
    expect(indexesOf(db, 'handler_runs')).toEqual(
      expect.arrayContaining([
        'idx_handler_runs_script_run',
        'idx_handler_runs_workflow',
        'idx_handler_runs_phase',
      ]),
    );
  });

  it('[MG-1] 0007: mutations have the columns and indexes of spec 002', () => {
    const db = migrated(7);
    expect(columnsOf(db, 'mutations')).toEqual(
      expect.arrayContaining([
        'id',
        'handler_run_id',
        'workflow_id',
        'tool_namespace',
        'tool_method',
        'params',
        'idempotency_key',
        'status',
        'result',
        'error',
        'reconcile_attempts',
        'last_reconcile_at',
        'next_reconcile_at',
        'resolved_by',
        'resolved_at',
        'created_at',
        'updated_at',
      ]),
    );
    expect(indexesOf(db, 'mutations')).toEqual(
      expect.arrayContaining([
        'idx_mutations_handler_run',
        'idx_mutations_workflow',
        'idx_mutations_status',
      ]),
    );
  });

  it('[MG-1] 0008: handler state is synced and has the columns of spec 002', () => {
    const db = migrated(8);
    expect(columnsOf(db, 'handler_state')).toEqual(
      expect.arrayContaining([
        'id',
        'workflow_id',
        'handler_name',
        'state',
        'updated_at',
        'updated_by_run_id',
      ]),
    );
    expect(syncedTables(db)).toContain('handler_state');
  });

  it('[MG-1] 0009: reservations are synced and cannot be deleted', () => {
    const db = migrated(9);
    expect(syncedTables(db)).toContain('reservations');
    db.run(`INSERT INTO reservations VALUES ('e', 1, 'r')`);
    expect(() => db.run('DELETE FROM reservations')).toThrow('immutable');
  });

  it('[MG-1] 0010: a resolution is decided once', () => {
    const db = migrated(10);
    db.run(
      `INSERT INTO resolutions (id, facts, outcome) VALUES ('x', '{}', '{"status":"waiting"}')`,
    );
    db.run(`UPDATE resolutions SET outcome = '{"status":"carried_out"}'`);
    expect(() => db.run(`UPDATE resolutions SET outcome = '{}'`)).toThrow('immutable');
    expect(() => db.run(`UPDATE resolutions SET facts = '{"a":1}'`)).toThrow('immutable');
  });

  it('[MG-1] 0011 and 0012: schedules, grants and files are local', () => {
    const db = migrated(12);
    const local = ['producer_schedules', 'consumer_wakes', 'grants', 'workflow_files'];
    for (const table of local) {
      expect(columnsOf(db, table).length).toBeGreaterThan(2);
      expect(syncedTables(db)).not.toContain(table);
    }
  });

  it('[MG-1] 0013: devices are synced, peers are local', () => {
    const db = migrated(13);
    expect(syncedTables(db)).toContain('devices');
    expect(columnsOf(db, 'devices')).toEqual(
      expect.arrayContaining(['key_hash', 'name', 'created_at', 'updated_at']),
    );
    expect(columnsOf(db, 'peers')).toEqual(
      expect.arrayContaining(['device_id', 'key_hash', 'addresses', 'paired_at', 'unpaired_at']),
    );
    expect(syncedTables(db)).not.toContain('peers');
    expect(() => db.run(`INSERT INTO devices (id) VALUES ('x')`)).toThrow('not ours');
  });

  it('[MG-1] 0014: cursors of peers, lineages and staged changes are local', () => {
    const db = migrated(14);
    for (const table of ['lineages', 'peer_cursors', 'merged_versions', 'staged_changes']) {
      expect(columnsOf(db, table).length).toBeGreaterThan(2);
      expect(syncedTables(db)).not.toContain(table);
    }
    expect(() => db.run(`INSERT INTO merged_versions VALUES ('p', 5, 4)`)).toThrow('CHECK');
    expect(() => db.run(`INSERT INTO peer_cursors VALUES ('p', 'l', -1, 0)`)).toThrow('CHECK');
  });

  it('[MG-1] 0015: a claim takes the next epoch and is released once', () => {
    const db = migrated(15);
    const claim = (epoch: number): number =>
      db.run(
        `INSERT INTO ownership_claims (workflow_id, epoch, device_id) VALUES ('w', ${epoch}, 'd')`,
      );
    expect(syncedTables(db)).toContain('ownership_claims');
    expect(() => claim(2)).toThrow('not the next epoch');
    claim(1);
    expect(() => claim(1)).toThrow('not the next epoch');
    db.run(`UPDATE ownership_claims SET release = '{"to_device_id":"e"}'`);
    expect(() => db.run(`UPDATE ownership_claims SET release = NULL`)).toThrow('immutable');
    expect(() => db.run(`UPDATE ownership_claims SET facts = '{"a":1}'`)).toThrow('immutable');
    expect(() => db.run('DELETE FROM ownership_claims')).toThrow('immutable');
  });

  it('[MG-1] 0016: an intent starts as waiting and is decided once', () => {
    const db = migrated(16);
    expect(syncedTables(db)).toContain('intents');
    db.run(`INSERT INTO intents (id, facts) VALUES ('x', '{"wish":{"kind":"pause"}}')`);
    expect(db.get('SELECT kind, status FROM intents')).toEqual({
      kind: 'pause',
      status: 'waiting',
    });
    db.run(`UPDATE intents SET outcome = '{"status":"done"}'`);
    expect(() => db.run(`UPDATE intents SET outcome = '{}'`)).toThrow('immutable');
    expect(() => db.run(`UPDATE intents SET facts = '{"a":1}'`)).toThrow('immutable');
  });

  it('[MG-1] 0017: incidents cannot be changed or deleted', () => {
    const db = migrated(17);
    expect(syncedTables(db)).toContain('incidents');
    db.run(`INSERT INTO incidents (id, facts) VALUES ('x', '{"kind":"epoch_tie"}')`);
    expect(() => db.run(`UPDATE incidents SET facts = '{}'`)).toThrow('immutable');
    expect(() => db.run('DELETE FROM incidents')).toThrow('immutable');
  });

  it('[MG-1] 0018: merged rows are queued in merged_rows; local writes are not', () => {
    const db = migrated(18);
    expect(syncedTables(db)).not.toContain('merged_rows');
    db.run(`INSERT INTO reservations VALUES ('e', 1, 'r')`);
    expect(db.all('SELECT * FROM merged_rows')).toEqual([]);
    db.run('SELECT crsql_internal_sync_bit(1)');
    db.run(`INSERT INTO reservations VALUES ('f', 1, 'r')`);
    db.run('SELECT crsql_internal_sync_bit(0)');
    expect(db.all('SELECT * FROM merged_rows')).toEqual([{ kind: 'reservations', id: 'f' }]);
  });

  it('[SY-4] a synced table has no unique index except its primary key', () => {
    const db = migrated();
    const synced = syncedTables(db);
    expect(synced.length).toBe(20);
    for (const table of synced) {
      const unique = db.all<{ origin: string }>(
        'SELECT origin FROM pragma_index_list(?) WHERE "unique" = 1',
        table,
      );
      expect(unique.map(({ origin }) => origin)).toEqual(['pk']);
    }
  });

  it('[MG-1] 0021: idempotency keys are local, unique, and answered exactly when they have an answer', () => {
    const db = migrated(21);
    expect(syncedTables(db)).not.toContain('idempotency_keys');
    const add = (values: string): number =>
      db.run(
        `INSERT INTO idempotency_keys (key, call, body_hash, status, answer, begun_at, answered_at)
         VALUES (${values})`,
      );
    add(`'k', 'c', 'h', 'begun', NULL, 1, NULL`);
    expect(() => add(`'k', 'c', 'h', 'begun', NULL, 1, NULL`)).toThrow('UNIQUE');
    expect(() => add(`'l', 'c', 'h', 'answered', NULL, 1, 2`)).toThrow('CHECK');
    expect(() => add(`'l', 'c', 'h', 'begun', x'00', 1, 2`)).toThrow('CHECK');
    expect(() => db.run(`UPDATE idempotency_keys SET body_hash = 'x'`)).toThrow('immutable');
  });

  it('[MG-1] 0022: the search index covers every compared column; the phase index is ordered by id', () => {
    const db = migrated(22);
    expect(
      db.all<{ name: string | null }>(`PRAGMA index_info('idx_handler_runs_search')`),
    ).toMatchObject([
      { name: 'id' },
      { name: 'workflow_id' },
      { name: 'device_id' },
      { name: 'handler_name' },
      // An expression: the title.
      { name: null },
    ]);
    expect(
      db.all<{ name: string | null }>(`PRAGMA index_info('idx_handler_runs_phase')`),
    ).toMatchObject([{ name: 'phase' }, { name: 'id' }]);
  });

  it('[MG-1] 0026: four indexes of spec 002 become partial; two other indexes are dropped', () => {
    const db = migrated(26);
    const partial = db.all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'index' AND name IN
        ('idx_events_workflow', 'idx_handler_runs_phase', 'idx_mutations_status',
         'idx_mutations_workflow') AND sql LIKE '% WHERE %' ORDER BY name`,
    );
    expect(partial.map(({ name }) => name)).toEqual([
      'idx_events_workflow',
      'idx_handler_runs_phase',
      'idx_mutations_status',
      'idx_mutations_workflow',
    ]);
    expect(indexesOf(db, 'events')).not.toContain('idx_events_reserved_by');
    expect(indexesOf(db, 'events')).not.toContain('idx_events_skip_reason');
  });

  it('[MG-5] SCHEMA.md matches the schema of the migrations', () => {
    expect(readFileSync('migrations/SCHEMA.md', 'utf8')).toBe(describeSchema(migrated()));
  });

  it('[MG-1] 0020: the tables of spec 004 have their columns; hooks, leases and outbox are local', () => {
    const db = migrated(20);
    const synced = ['automation_runs', 'automation_side_effects', 'trigger_events'];
    expect(syncedTables(db)).toEqual(expect.arrayContaining(synced));
    const local = ['hooks', 'hook_proofs', 'automation_leases', 'outbox'];
    for (const table of local) expect(syncedTables(db)).not.toContain(table);
    const expected = {
      trigger_events: 'trigger_id organization_id dedup_key raw_payload created_at',
      automation_runs: `organization_id automation_id trigger_event_id trigger_id status
        status_reason failure_stage queued_at enrichment_started_at enrichment_completed_at
        execution_started_at prompt_sent_at completed_at last_activity_at deadline_at session_id
        session_created_at completion_id completion_json completion_artifact_ref
        enrichment_artifact_ref sources_artifact_ref policy_artifact_ref`,
      automation_run_events: 'run_id type from_status to_status data created_at',
      automation_side_effects: 'organization_id effect_id run_id kind provider response_json',
      automation_leases: 'lease_owner lease_expires_at lease_version',
      outbox: 'organization_id kind payload status attempts available_at last_error',
    };
    for (const [table, columns] of Object.entries(expected)) {
      expect(columnsOf(db, table)).toEqual(expect.arrayContaining(columns.split(/\s+/)));
    }
    db.run(`INSERT INTO trigger_events (id, facts) VALUES ('i', '{}')`);
    expect(() => db.run(`UPDATE trigger_events SET raw_payload = '1'`)).toThrow('immutable');
    expect(() => db.run(`DELETE FROM trigger_events`)).toThrow('immutable');
    expect(() =>
      db.run(`INSERT INTO automation_runs (id, progress) VALUES ('r', '{"status":"running"}')`),
    ).toThrow('starts as running');
    db.run(`INSERT INTO automation_leases VALUES ('r', 'w', 1, 2)`);
    expect(() => db.run(`UPDATE automation_leases SET lease_version = 1`)).toThrow('never falls');
  });

  it('[MG-1] 0019: the tables of spec 003 are local and have their columns and indexes', () => {
    const db = migrated(19);
    expect(syncedTables(db).filter((table) => table.startsWith('runner'))).toEqual([]);
    expect(columnsOf(db, 'runner_repos')).toEqual(expect.arrayContaining(['key', 'path']));
    expect(columnsOf(db, 'runner_jobs')).toEqual(
      expect.arrayContaining([
        'requested_by',
        'idempotency_key',
        'payload_hash',
        'status',
        'created_at',
        'started_at',
        'cancel_requested_at',
        'finished_at',
        'exit_code',
      ]),
    );
    expect(columnsOf(db, 'runner_job_events')).toEqual(['job_id', 'seq', 'type', 'at', 'detail']);
    expect(indexesOf(db, 'runner_jobs')).toEqual(
      expect.arrayContaining([
        'idx_runner_jobs_status',
        'idx_runner_jobs_queue',
        'idx_runner_jobs_active_key',
      ]),
    );
    expect(db.value('SELECT version FROM runner_launcher')).toBe(0);
  });
});

describe('0023', () => {
  it('[MG-1] 0023: rows are deleted only while archiving, into archived_rows, and archived events are not inserted again', () => {
    const db = migrated(23);
    expect(syncedTables(db).filter((table) => table.startsWith('archiv'))).toEqual([]);
    db.run(`INSERT INTO reservations VALUES ('e', 1, 'r')`);
    expect(() => db.run('DELETE FROM reservations')).toThrow('immutable');
    db.run('INSERT INTO archiving VALUES (1)');
    db.run('DELETE FROM reservations');
    expect(db.all('SELECT kind, content FROM archived_rows')).toEqual([
      { kind: 'reservations', content: '{"event_id":"e","attempt_number":1,"handler_run_id":"r"}' },
    ]);
    db.run('INSERT INTO events (id, progress) VALUES (?, ?)', 'e', '{"status":"pending"}');
    db.run('DELETE FROM events');
    db.run('INSERT INTO events (id, progress) VALUES (?, ?)', 'e', '{"status":"pending"}');
    expect(db.value('SELECT count(*) FROM events')).toBe(0);
    expect(db.pragma('auto_vacuum')).toBe(2);
  });
});

describe('0024', () => {
  it('[MG-1] 0024: inputs are archived, archived inputs are not inserted again, and proofs have a time', () => {
    const db = migrated(24);
    const add = (): void => {
      db.run(`INSERT INTO trigger_events (id, raw_payload) VALUES ('i', '[1]')`);
      db.run(`INSERT INTO automation_runs (id, progress) VALUES ('a', '{"status":"queued"}')`);
      db.run(`INSERT INTO automation_side_effects (effect_id, facts) VALUES ('e', '{}')`);
    };
    add();
    const tables = ['trigger_events', 'automation_runs', 'automation_side_effects'];
    for (const table of tables) {
      expect(() => db.run(`DELETE FROM ${table}`), table).toThrow(`immutable: ${table}`);
    }
    db.run('INSERT INTO archiving VALUES (1)');
    for (const table of tables) db.run(`DELETE FROM ${table}`);
    db.run('DELETE FROM archiving');
    const archived = db.all<{ kind: string; content: string }>(
      'SELECT kind, content FROM archived_rows ORDER BY seq',
    );
    expect(archived.map(({ kind }) => kind)).toEqual(tables);
    expect(JSON.parse(archived[0]?.content ?? '')).toEqual({
      id: 'i',
      facts: '{}',
      raw_payload: '[1]',
    });
    db.run(`INSERT INTO trigger_events (id, raw_payload) VALUES ('i', '[2]')`);
    expect(db.value('SELECT count(*) FROM trigger_events')).toBe(0);
    expect(columnsOf(db, 'hook_proofs')).toContain('taken_at');
  });

  it('[MG-1] 0024: an existing proof gets the time of its input', () => {
    const path = join(tempFolder(), 'holdfast.db');
    migrateFile(path, upTo(23));
    const before = new Database(path);
    before.run(`INSERT INTO trigger_events (id, facts) VALUES ('i', '{"created_at":7}')`);
    before.run(`INSERT INTO hook_proofs VALUES ('h', 'p', 'i')`);
    before.run(`INSERT INTO hook_proofs VALUES ('h', 'q', 'gone')`);
    before.close();
    migrateFile(path, upTo(24));
    expect(open(path).all('SELECT proof, taken_at FROM hook_proofs ORDER BY proof')).toEqual([
      { proof: 'p', taken_at: 7 },
      { proof: 'q', taken_at: 0 },
    ]);
  });
});

describe('migrating a file', () => {
  const older = (folder = tempFolder()): string => {
    const path = join(folder, 'holdfast.db');
    migrateFile(path, upTo(2));
    const db = new Database(path);
    db.run(`INSERT INTO settings VALUES ('kept', '"yes"', 1)`);
    db.close();
    return path;
  };

  const rowsOf = (sqlite: SQLite.Database): unknown[] =>
    ['settings', 'workflows', 'scripts', 'sqlite_schema'].map((table) =>
      sqlite.prepare(`SELECT * FROM ${table}`).all(),
    );

  it('[MG-2] [GB-7] the old file is saved as a backup, and its rows are in the migrated file', () => {
    const path = older();
    const before = `${path}.before`;
    copyFileSync(path, before);
    const result = migrateFile(path, migrations, 7);
    expect(result).toMatchObject({ from: 2, to: latestVersion(migrations) });
    const backup = new SQLite(result.backup as string);
    const mark = backup.prepare(`SELECT value FROM settings WHERE key = 'backup'`).pluck();
    expect(mark.get()).toBe('{"madeAt":7}');
    backup.exec(`DELETE FROM settings WHERE key = 'backup'`);
    expect(rowsOf(backup)).toEqual(rowsOf(new SQLite(before)));
    expect(open(path).get(`SELECT value FROM settings WHERE key = 'kept'`)).toEqual({
      value: '"yes"',
    });
    expect(existsSync(`${path}.migrating`)).toBe(false);
  });

  it('[MG-2] commits left in the WAL by a crash are in the migrated file and in the backup', () => {
    const path = older();
    const db = open(path);
    db.run(`INSERT INTO settings VALUES ('late', '1', 1)`);
    // Simulates a crash: the file and its WAL, not open in any process.
    const crashed = join(tempFolder(), 'holdfast.db');
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, crashed + suffix);
    expect(statSync(`${crashed}-wal`).size).toBeGreaterThan(0);
    const { backup } = migrateFile(crashed);
    for (const file of [crashed, backup as string]) {
      expect(open(file).get(`SELECT value FROM settings WHERE key = 'late'`)).toEqual({
        value: '1',
      });
    }
  });

  it('[MG-2] only the newest migration backups remain', () => {
    const folder = tempFolder();
    const path = older(folder);
    for (let version = 2; version < migrations.length; version += 1) {
      migrateFile(path, upTo(version + 1), Date.UTC(2026, 0, version));
    }
    const backups = readdirSync(join(folder, 'backups'));
    expect(backups.length).toBe(MAX_MIGRATION_BACKUPS);
    expect(backups.at(-1)).toContain(`-v${migrations.length - 1}.db`);
  });

  it('[MG-3] a failed migration is named in the error and leaves the old file unchanged', () => {
    const path = older();
    const before = hashOf(path);
    const broken = [
      ...upTo(3),
      { version: 4, name: '0004_broken', sql: 'CREATE TABLE fine (x); SELECT nonsense();' },
    ];
    expect(() => migrateFile(path, broken)).toThrow(MigrationError);
    expect(() => migrateFile(path, broken)).toThrow('0004_broken');
    expect(hashOf(path)).toBe(before);
    expect(readdirSync(dirname(path))).toEqual(['holdfast.db']);
    expect(migrateFile(path).from).toBe(2);
  });

  it('[MG-3] a failing crsql_as_crr, which ends the transaction, leaves the old file unchanged', () => {
    const path = older();
    const before = hashOf(path);
    const broken = [
      ...upTo(2),
      {
        version: 3,
        name: '0003_bad_crr',
        sql: `CREATE TABLE bad (id TEXT PRIMARY KEY NOT NULL, x TEXT UNIQUE); SELECT crsql_as_crr('bad');`,
      },
    ];
    expect(() => migrateFile(path, broken)).toThrow('0003_bad_crr');
    expect(hashOf(path)).toBe(before);
  });

  it('[MG-4] a newer database is refused with both versions and not changed', () => {
    const path = older();
    const db = new Database(path);
    db.exec('PRAGMA user_version = 99');
    db.close();
    const before = hashOf(path);
    expect(() => migrateFile(path)).toThrow(FutureDatabaseError);
    expect(() => migrateFile(path)).toThrow(
      `has version 99; this version of Holdfast supports versions up to ${migrations.length}`,
    );
    expect(hashOf(path)).toBe(before);
  });

  it('[MG-6] a second migration changes nothing', () => {
    const path = older();
    migrateFile(path);
    const before = hashOf(path);
    expect(migrateFile(path)).toEqual({
      from: migrations.length,
      to: migrations.length,
      backup: null,
    });
    expect(hashOf(path)).toBe(before);
  });

  it('[MG-1] a gap in the numbers of the migrations is an error', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, '0001_a.sql'), 'SELECT 1;');
    writeFileSync(join(folder, '0003_c.sql'), 'SELECT 1;');
    expect(() => loadMigrations(folder)).toThrow('0003_c.sql must have the number 2');
  });
});

describe('0025', () => {
  it('[MG-1] 0025: the transition rules are unchanged and no longer use VALUES', () => {
    const rulesOf = (db: Database): Map<string, string> =>
      new Map(
        db
          .all<{ name: string; sql: string }>(
            `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name IN
               ('events_legal', 'handler_runs_consumer_legal', 'handler_runs_producer_legal',
                'mutations_legal')`,
          )
          .map(({ name, sql }) => [name, sql]),
      );
    const [before, after] = [rulesOf(migrated(24)), rulesOf(migrated(25))];
    expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted());
    for (const [name, sql] of after) {
      // The same pairs: ('a', 'b') before, a>b now. machines-agree.test.ts tests that they hold.
      const pairs = [...(before.get(name) ?? '').matchAll(/\('(\w+)', '(\w+)'\)/g)];
      expect(pairs.length, name).toBeGreaterThan(5);
      expect(
        [...sql.matchAll(/(\w+)>(\w+)(?=[|'])/g)].map(([pair]) => pair),
        name,
      ).toEqual(pairs.map(([, from, to]) => `${from}>${to}`));
      expect(sql, name).not.toContain('VALUES');
    }
  });
});

describe('0027', () => {
  const rulesOf = (db: Database): Map<string, string> =>
    new Map(
      db
        .all<{ name: string; sql: string }>(
          `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`,
        )
        .map(({ name, sql }) => [name, sql]),
    );

  it('[MG-1] 0027: nine rules become AFTER triggers with the same text', () => {
    const [before, after] = [rulesOf(migrated(26)), rulesOf(migrated(27))];
    expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted());
    const moved = [...after].filter(([name, sql]) => sql !== before.get(name));
    expect(moved.map(([name]) => name).toSorted()).toEqual([
      'events_legal',
      'handler_runs_consumer_legal',
      'handler_runs_have_a_type',
      'handler_runs_one_writer',
      'handler_runs_producer_legal',
      'handler_runs_start',
      'mutations_legal',
      'mutations_one_writer',
      'mutations_start',
    ]);
    for (const [name, sql] of moved) {
      expect(sql, name).toBe(before.get(name)?.replace(' BEFORE ', ' AFTER '));
    }
  });

  it('[MG-1] 0027: a refused statement leaves neither row nor clock, and its transaction still commits', () => {
    const db = migrated(27);
    db.run(`INSERT INTO mutations (id, outcome) VALUES ('m', '{"status":"pending"}')`);
    const clocks = (): unknown => db.all('SELECT * FROM crsql_changes');
    const [row] = db.all('SELECT * FROM mutations');
    const before = clocks();
    db.write(() => {
      const refused = `UPDATE mutations SET outcome = '{"status":"applied"}' WHERE id = 'm'`;
      expect(() => db.run(refused)).toThrow('illegal transition: mutations pending -> applied');
      const illegal = `INSERT INTO mutations (id, outcome) VALUES ('n', '{"status":"applied"}')`;
      expect(() => db.run(illegal)).toThrow('mutations starts as applied');
    });
    expect(db.all('SELECT * FROM mutations')).toEqual([row]);
    expect(clocks()).toEqual(before);
  });

  it('[MG-1] 0027: an update of mutations builds no temporary table', () => {
    const tables = (db: Database): number => {
      const opcodes = db
        .all<{ opcode: string }>(`EXPLAIN UPDATE mutations SET outcome = '{}' WHERE id = 'm'`)
        .map(({ opcode }) => opcode);
      // The programs of the triggers follow the statement's own.
      const itself = opcodes.slice(0, opcodes.indexOf('Init', 1));
      return itself.filter((opcode) => opcode === 'OpenEphemeral').length;
    };
    expect(tables(migrated(26))).toBe(4);
    expect(tables(migrated(27))).toBe(0);
  });
});

describe('0028', () => {
  const rulesOf = (db: Database): { name: string; sql: string }[] =>
    db.all(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name`);

  it('[MG-1] 0028: the rules are the same ones, with messages that SQLite 3.40 can parse', () => {
    const withoutMessage = ({ name, sql }: { name: string; sql: string }): object => ({
      name,
      sql: sql.replace(/ RAISE\(ABORT, .*$/s, ''),
    });
    const [before, after] = [rulesOf(migrated(27)), rulesOf(migrated(28))];
    expect(after.map(withoutMessage)).toEqual(before.map(withoutMessage));
    const raises = rulesOf(migrated()).flatMap(({ sql }) => sql.match(/RAISE\(.*/gs) ?? []);
    expect(raises.length).toBeGreaterThan(40);
    for (const raise of raises) {
      expect(raise).toMatch(/^RAISE\((?:IGNORE|ABORT, '[^']*')\)/);
    }
  });
});

describe('0029', () => {
  it('[MG-1] [EN-27] 0029: an event that becomes pending, or changes while pending, raises its topic’s revision', () => {
    const db = migrated();
    const revision = (): number =>
      db.value<number>(`SELECT revision FROM topic_revisions WHERE topic_id = 't'`) ?? 0;
    db.exec(
      `INSERT INTO events (id, facts, content, progress)
       VALUES ('e', '{"topic_id":"t"}', '{}', '{"status":"pending","attempt":1}')`,
    );
    expect(revision()).toBe(1);
    db.exec(`UPDATE events SET content = '{"title":"new"}'`);
    expect(revision()).toBe(2);
    db.exec(`UPDATE events SET progress = '{"status":"reserved","attempt":1,"run_id":"r"}'`);
    expect(revision()).toBe(2);
    db.exec(`UPDATE events SET progress = '{"status":"pending","attempt":1}'`);
    expect(revision()).toBe(3);
  });
});

describe('0030', () => {
  it('[MG-1] [AR-12] 0030: an event is found by each of its inputs, written or merged, until it is deleted', () => {
    const [db, peer] = [migrated(), migrated()];
    const inputs = (of = db): string[] =>
      of.all<{ id: string }>('SELECT input_id AS id FROM event_causes').map(({ id }) => id);
    db.exec(
      `INSERT INTO events (id, facts, content, progress) VALUES
         ('e', '{"topic_id":"t","caused_by":"a","also_caused_by":["b","c"]}', '{}', '{"status":"pending"}'),
         ('f', '{"topic_id":"t","caused_by":"a"}', '{}', '{"status":"pending"}')`,
    );
    expect(inputs()).toEqual(['b', 'c']);
    exchange(db, peer);
    expect(inputs(peer)).toEqual(['b', 'c']);
    db.write(() => archiveDelete(db, 'events', 'id', 'e'));
    expect(inputs()).toEqual([]);
  });
});

describe('0031', () => {
  it('[MG-1] [EV-10] 0031: events of an older database keep their order, before those that come later', () => {
    const db = migrated(30);
    const insert = (id: string, facts: object): void => {
      const sql = `INSERT INTO events (id, facts, content, progress) VALUES (?, ?, '{}', '{"status":"pending"}')`;
      db.prepare(sql).run(id, JSON.stringify({ topic_id: 't', ...facts }));
    };
    insert('b', { created_at: 5 });
    insert('a', { created_at: 5, place: 1 });
    insert('c', { created_at: 4 });
    db.exec(migrations[30]?.sql ?? '');
    insert('d', { created_at: 1, arrival: 5, place: 2 });
    const ids = db.prepare(
      `SELECT id FROM events WHERE topic_id = 't' AND status = 'pending' ORDER BY arrival, place, id`,
    );
    expect(ids.pluck().all()).toEqual(['c', 'b', 'a', 'd']);
  });
});

describe('0032', () => {
  it('[MG-1] [SR-2] [RL-13] 0032: the guard holds the sessions of this device, and forked logs are known', () => {
    const db = migrated(31);
    const session = db.prepare(
      `INSERT INTO script_runs (id, facts, progress) VALUES (?, ?, '{"status":"booting"}')`,
    );
    const facts = (device_id: string, lane = 'main'): string =>
      JSON.stringify({ workflow_id: 'w', lane, device_id });
    db.exec(`INSERT INTO settings (key, value, updated_at) VALUES ('device_id', '"a"', 1)`);
    session.run('ended', facts('a'));
    db.exec(`UPDATE script_runs SET progress = '{"status":"failed","terminal_event_id":"e"}'`);
    session.run('active', facts('a'));
    session.run('foreign', facts('b', 'draft'));
    const event = db.prepare(
      'INSERT INTO run_events (run_id, idempotency_key, facts) VALUES (?, ?, ?)',
    );
    event.run('r', 'k1', '{"run_seq":1}');
    event.run('plain', 'k1', '{"run_seq":1}');
    db.prepare('SELECT crsql_internal_sync_bit(1)').get();
    event.run('r', 'k2', '{"run_seq":1}');
    db.prepare('SELECT crsql_internal_sync_bit(0)').get();
    db.exec(migrations[31]?.sql ?? '');
    const guard = db.prepare('SELECT run_id, status, terminal_event_id FROM run_guard').raw().all();
    expect(guard).toEqual([
      ['ended', 'failed', 'e'],
      ['active', 'booting', null],
    ]);
    expect(db.prepare('SELECT * FROM run_log_forks').raw().all()).toEqual([['r', 0]]);
    expect(() => session.run('second', facts('a'))).toThrow('run_guard');
  });
});

describe('0033', () => {
  it('[MG-1] [SP-1] 0033: four indexes of spec 002 hold every row; events set aside have one of their own', () => {
    const db = migrated(33);
    const sql = (name: string): string =>
      db.value<string>('SELECT sql FROM sqlite_schema WHERE name = ?', name) ?? '';
    expect(sql('idx_events_workflow')).toMatch(/ON events \(workflow_id\)$/);
    expect(sql('idx_handler_runs_phase')).toMatch(/ON handler_runs \(phase, id\)$/);
    expect(sql('idx_mutations_workflow')).toMatch(/ON mutations \(workflow_id\)$/);
    expect(sql('idx_mutations_status')).toMatch(/ON mutations \(status\)$/);
    expect(sql('idx_events_set_aside')).toContain('WHERE skip_reason IS NOT NULL');
  });
});

describe('0034', () => {
  it('[MG-1] 0034: an event is found by its topic and message id', () => {
    const [plan] = migrated(34).all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT id FROM events WHERE topic_id = 'x' AND message_id = 'x'`,
    );
    expect(plan?.detail).toContain('idx_events_message (topic_id=? AND message_id=?)');
  });
});

describe('0035', () => {
  it('[MG-1] [SP-5] 0035: four rules find another row with the same values by an index', () => {
    const db = migrated(35);
    const lookups: [table: string, columns: string[], index: string][] = [
      ['topics', ['workflow_id', 'name'], 'idx_topics_workflow'],
      ['events', ['topic_id', 'message_id'], 'idx_events_message'],
      ['mutations', ['handler_run_id'], 'idx_mutations_handler_run'],
      ['handler_state', ['workflow_id', 'handler_name'], 'idx_handler_state_workflow'],
    ];
    for (const [table, columns, index] of lookups) {
      const where = columns.map((column) => `${column} = 'x'`).join(' AND ');
      const [plan] = db.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT 1 FROM ${table} WHERE ${where} AND id <> 'x'`,
      );
      expect(plan?.detail).toMatch(new RegExp(`^SEARCH ${table} USING .*INDEX ${index} `));
      const rule = db.value<string>(
        'SELECT sql FROM sqlite_schema WHERE name = ?',
        `${table}_unique`,
      );
      for (const column of columns) expect(rule).toContain(`${column} = NEW.${column}`);
    }
  });
});

describe('0036', () => {
  it('[MG-1] [CO-8] [CO-9] 0036: runs of before and after count what both sides spent, and are in the sums', () => {
    const db = migrated(35);
    const insert = db.prepare(
      `INSERT INTO handler_runs (id, facts, progress, takeover) VALUES (?,
         '{"workflow_id":"w","handler_type":"consumer","start_timestamp":"1970-01-01T00:15:00.000Z"}',
         '{"phase":"preparing","cost":4}', '{"phase":"failed","over":"preparing","cost":30}')`,
    );
    db.prepare('SELECT crsql_internal_sync_bit(1)').get();
    insert.run('before');
    db.exec(migrations[35]?.sql ?? '');
    insert.run('after');
    db.prepare('SELECT crsql_internal_sync_bit(0)').get();
    expect(db.prepare('SELECT cost FROM handler_runs').pluck().all()).toEqual([34, 34]);
    expect(db.prepare('SELECT * FROM workflow_costs').raw().all()).toEqual([
      ['w', -1, 68],
      ['w', 1, 68],
    ]);
  });
});

describe('0037', () => {
  it('[MG-1] [AF-7] 0037: a synced artifact is written once, and deleted only by archiving', () => {
    const [db, peer] = [migrated(), migrated()];
    expect(syncedTables(db)).toContain('artifacts');
    db.run(`INSERT INTO artifacts (id, facts) VALUES ('a', '{"run_id":"r","created_at":5}')`);
    expect(() => db.run(`UPDATE artifacts SET facts = '{"run_id":"s"}'`)).toThrow('immutable');
    expect(() => db.run('DELETE FROM artifacts')).toThrow('immutable');
    exchange(db, peer);
    expect(peer.all('SELECT run_id, created_at FROM artifacts')).toEqual([
      { run_id: 'r', created_at: 5 },
    ]);
    db.write(() => archiveDelete(db, 'artifacts', 'run_id', 'r'));
    exchange(db, peer);
    for (const one of [db, peer]) {
      expect(one.value('SELECT count(*) FROM artifacts')).toBe(0);
      expect(one.values('SELECT kind FROM archived_rows')).toEqual(['artifacts']);
    }
  });
});

describe('0038', () => {
  /** As at a start: the file is closed, migrated and opened. */
  const migrate = (db: Database): Database => {
    db.close();
    migrateFile(db.path, upTo(38));
    return open(db.path);
  };
  const effect = (
    db: Database,
    id: string,
    run: string,
    space: string | null = 'space-1',
  ): void => {
    const facts = { organization_id: space ?? undefined, run_id: run, handler_run_id: `h-${id}` };
    db.run(
      'INSERT INTO automation_side_effects (effect_id, facts, response_json) VALUES (?, ?, ?)',
      id,
      JSON.stringify(facts),
      `"of ${id}"`,
    );
  };
  const older = (): Database => {
    const db = migrated(37);
    db.run(`INSERT INTO settings VALUES ('space_id', '"space-1"', 1)`);
    return db;
  };
  const keysOf = (db: Database): unknown[] =>
    db
      .prepare('SELECT effect_id, organization_id FROM automation_side_effects ORDER BY effect_id')
      .raw()
      .all();

  it('[MG-1] [EF-1] 0038: every effect stays as it was, keyed by its organization and id', () => {
    let db = older();
    effect(db, 'a', 'r1');
    effect(db, 'b', 'r2', 'space-of-old');
    effect(db, 'c', 'r3', null);
    const columns = `effect_id, facts, response_json, run_id, handler_run_id, kind, provider, created_at`;
    const before = db.all(`SELECT ${columns} FROM automation_side_effects ORDER BY effect_id`);
    db = migrate(db);
    expect(db.all(`SELECT ${columns} FROM automation_side_effects ORDER BY effect_id`)).toEqual(
      before,
    );
    expect(keysOf(db)).toEqual([
      ['a', 'space-1'],
      ['b', 'space-of-old'],
      ['c', 'space-1'],
    ]);
    expect(syncedTables(db)).toEqual(
      expect.arrayContaining(['automation_side_effects', 'automation_side_effect_runs']),
    );
    expect(db.all(`SELECT name FROM sqlite_schema WHERE name LIKE '%before_0038%'`)).toEqual([]);
    for (const table of ['automation_side_effects', 'automation_side_effect_runs']) {
      expect(() => db.run(`DELETE FROM ${table}`)).not.toThrow(/no such/);
    }
  });

  it('[MG-1] [EF-1] 0038: an effect of several inputs gets a link to each', () => {
    let db = older();
    const input = (id: string): void => {
      db.run(
        'INSERT INTO automation_runs (id, facts, progress) VALUES (?, ?, ?)',
        `run-${id}`,
        JSON.stringify({ trigger_event_id: id }),
        '{"status":"queued"}',
      );
    };
    for (const id of ['i1', 'i2', 'i3', 'i4']) input(id);
    const event = (id: string, facts: object): void => {
      db.run(
        `INSERT INTO events (id, facts, content, progress) VALUES (?, ?, '{}', '{"status":"pending"}')`,
        id,
        JSON.stringify({ topic_id: 't', ...facts }),
      );
      db.run(`INSERT INTO reservations VALUES (?, 1, 'h-shared')`, id);
    };
    event('e1', { caused_by: 'i1' });
    event('e2', { caused_by: 'i2', also_caused_by: ['i3', 'i1'] });
    event('e3', { caused_by: 'unknown' });
    effect(db, 'shared', 'run-i1');
    effect(db, 'single', 'run-i4');
    db = migrate(db);
    expect(
      db.prepare('SELECT * FROM automation_side_effect_runs ORDER BY run_id').raw().all(),
    ).toEqual(['i1', 'i2', 'i3'].map((id) => ['shared', 'space-1', `run-${id}`]));
  });

  it('[MG-1] [RT-4] 0038: an archived effect does not come back from a device that still has it', () => {
    let [db, peer] = [older(), older()];
    effect(db, 'a', 'r1');
    effect(db, 'b', 'r2');
    exchange(db, peer);
    db.write(() => archiveDelete(db, 'automation_side_effects', 'effect_id', 'a'));
    const archived = db.value('SELECT count(*) FROM archived_rows');
    [db, peer] = [migrate(db), migrate(peer)];
    expect(db.value('SELECT count(*) FROM archived_rows'), 'archived once').toBe(archived);
    exchange(peer, db);
    expect(keysOf(db)).toEqual([['b', 'space-1']]);
    exchange(db, peer);
    expect(keysOf(peer)).toEqual([['b', 'space-1']]);
  });

  it('[MG-1] [UG-1] 0038: the version that peers have seen never falls, and everything is sent after it', () => {
    let db = older();
    db.run(`INSERT INTO workflows (id) VALUES ('w')`);
    for (const id of ['a', 'b', 'c']) effect(db, id, 'r');
    const seen = db.value<number>('SELECT crsql_db_version()') ?? 0;
    db = migrate(db);
    expect(db.value('SELECT crsql_db_version()')).toBe(seen + 1);
    const later = db.values<number>(
      `SELECT DISTINCT db_version FROM crsql_changes WHERE "table" = 'automation_side_effects'`,
    );
    expect(later).toEqual([seen + 1]);
    db.run(`INSERT INTO workflows (id) VALUES ('v')`);
    expect(db.value('SELECT crsql_db_version()')).toBe(seen + 2);
  });

  it('[MG-1] [SY-1] 0038: two devices that migrated apart, and wrote different effects, hold the same rows', () => {
    let [db, peer] = [older(), older()];
    effect(db, 'a', 'r1');
    exchange(db, peer);
    effect(peer, 'b', 'r2');
    db = migrate(db);
    peer = migrate(peer);
    const version = db.value<number>('SELECT crsql_db_version()');
    exchange(peer, db);
    exchange(db, peer);
    expect(keysOf(db)).toEqual([
      ['a', 'space-1'],
      ['b', 'space-1'],
    ]);
    expect(dumpRows(peer)).toEqual(dumpRows(db));
    exchange(peer, db);
    expect(db.value<number>('SELECT crsql_db_version()')).toBe((version ?? 0) + 1);
  });
});

describe('0039', () => {
  it('[MG-1] [RW-3] 0039: raw payloads are local and leave with their input, archived here or elsewhere', () => {
    const [db, peer] = [migrated(39), migrated(39)];
    expect(syncedTables(db)).not.toContain('raw_payloads');
    const add = (of: Database, id: string): void => {
      of.run(`INSERT INTO raw_payloads VALUES (?, 1, 2, 'k', x'00')`, id);
    };
    for (const id of ['i', 'j']) {
      db.run(`INSERT INTO trigger_events (id, facts) VALUES (?, '{}')`, id);
      for (const of of [db, peer]) add(of, id);
    }
    exchange(db, peer);
    db.write(() => archiveDelete(db, 'trigger_events', 'id', 'i'));
    exchange(db, peer);
    for (const of of [db, peer]) {
      expect(of.values('SELECT input_id FROM raw_payloads')).toEqual(['j']);
    }
    expect(JSON.stringify(db.all('SELECT content FROM archived_rows'))).not.toContain('sealed');
  });
});

describe('0040', () => {
  it('[MG-1] [IS-1] 0040: refused rows are local', () => {
    const db = migrated(40);
    expect(syncedTables(db)).not.toContain('refused_rows');
    db.run(
      `INSERT INTO refused_rows VALUES ('events:e', 'events', '["e"]', NULL, NULL, 'no', 1, 1, 1, NULL)`,
    );
    expect(db.values('SELECT id FROM refused_rows')).toEqual(['events:e']);
  });
});

describe('0041', () => {
  /** A ledger row of level 40: in flight, and then this on the side of a later owner. */
  const effect = (db: Database, id: string, workflow: string, takeover: string): void => {
    const facts = { handler_run_id: id, workflow_id: workflow, device_id: 'a', epoch: 2 };
    db.run(
      `INSERT INTO mutations (id, facts, call, outcome) VALUES (?, ?, '{}', '{"status":"in_flight"}')`,
      id,
      JSON.stringify(facts),
    );
    const before = takeover.includes('indeterminate') ? takeover : '{"status":"needs_reconcile"}';
    db.run('UPDATE mutations SET takeover = ? WHERE id = ?', before, id);
    if (takeover !== before) db.run('UPDATE mutations SET takeover = ? WHERE id = ?', takeover, id);
  };
  const claim = (db: Database, workflow: string, epoch: number, device: string): unknown =>
    db.run(
      `INSERT INTO ownership_claims (workflow_id, epoch, device_id) VALUES (?, ?, ?)`,
      workflow,
      epoch,
      device,
    );
  const OPEN = '{"status":"needs_reconcile","n":1}';
  const UNKNOWN = '{"status":"indeterminate"}';

  /** A database of level 40 of this device. `mine`: only it has claimed since; `taken`: not. */
  function older(deviceId: string): string {
    const path = join(tempFolder(), 'a.db');
    migrateFile(path, upTo(40));
    const db = new Database(path);
    db.run(`INSERT INTO settings VALUES ('device_id', ?, 1)`, JSON.stringify(deviceId));
    claim(db, 'mine', 1, 'b');
    claim(db, 'mine', 2, 'a');
    claim(db, 'mine', 3, 'a');
    claim(db, 'taken', 1, 'b');
    claim(db, 'taken', 2, 'a');
    claim(db, 'taken', 3, 'b');
    effect(db, 'open', 'mine', OPEN);
    effect(db, 'unknown', 'mine', UNKNOWN);
    effect(db, 'settled', 'mine', '{"status":"applied"}');
    effect(db, 'theirs', 'taken', OPEN);
    db.close();
    return path;
  }

  function newer(path: string): Database {
    migrateFile(path, upTo(41));
    return open(path);
  }

  const sidesIn = (db: Database): unknown[] =>
    db.all('SELECT id, recovered, takeover, status FROM mutations ORDER BY id');
  const MOVED = [
    { id: 'open', recovered: OPEN, takeover: null, status: 'needs_reconcile' },
    { id: 'settled', recovered: null, takeover: '{"status":"applied"}', status: 'applied' },
    { id: 'theirs', recovered: null, takeover: OPEN, status: 'needs_reconcile' },
    { id: 'unknown', recovered: UNKNOWN, takeover: null, status: 'indeterminate' },
  ];

  it("[MG-1] [OW-12] 0041: this device's open doubt moves to its column, unless another device may have written it", () => {
    const db = newer(older('a'));
    expect(sidesIn(db)).toEqual(MOVED);
    expect(indexesOf(db, 'mutations')).toContain('idx_mutations_status');
    expect(sidesIn(newer(older('b')))).toEqual(
      MOVED.map(({ recovered, takeover, ...row }) => ({
        ...row,
        recovered: null,
        takeover: takeover ?? recovered,
      })),
    );
  });

  it('[MG-1] [SY-1] 0041: the peers get the moved rows, and what is written to the new column later', () => {
    const path = older('a');
    const other = join(tempFolder(), 'b.db');
    migrateFile(other, upTo(40));
    const [before, peerBefore] = [new Database(path), new Database(other)];
    exchange(before, peerBefore);
    before.close();
    peerBefore.close();
    const [db, peer] = [newer(path), newer(other)];
    exchange(db, peer);
    expect(sidesIn(peer)).toEqual(MOVED);
    db.run(`UPDATE mutations SET recovered = '{"status":"failed"}' WHERE id = 'open'`);
    exchange(db, peer);
    exchange(peer, db);
    expect(peer.value(`SELECT status FROM mutations WHERE id = 'open'`)).toBe('failed');
    expect(dumpRows(peer)).toEqual(dumpRows(db));
  });
});
