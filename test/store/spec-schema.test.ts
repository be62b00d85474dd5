// The tables, columns and indexes that specs 000 to 004 name, against the database of a real host.
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Database } from '#main/store/sqlite/database.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { POSTER } from '#test/support/start-engine.ts';
import { startInputs } from '#test/support/start-inputs.ts';

/** Spec 002 as written, without UNIQUE, which synced tables cannot have. */
const SPEC_002 = `
CREATE TABLE topics (id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL, name TEXT NOT NULL,
  created_at INTEGER NOT NULL);
CREATE TABLE events (id TEXT PRIMARY KEY, topic_id TEXT NOT NULL, workflow_id TEXT NOT NULL,
  message_id TEXT NOT NULL, title TEXT NOT NULL, payload TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending', reserved_by_run_id TEXT, created_by_run_id TEXT,
  attempt_number INTEGER NOT NULL DEFAULT 1, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL);
CREATE INDEX idx_events_topic_status ON events(topic_id, status);
CREATE INDEX idx_events_workflow ON events(workflow_id);
CREATE TABLE handler_runs (id TEXT PRIMARY KEY, script_run_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL, handler_type TEXT NOT NULL, handler_name TEXT NOT NULL,
  phase TEXT NOT NULL DEFAULT 'pending', prepare_result TEXT, input_state TEXT, output_state TEXT,
  start_timestamp TEXT NOT NULL, end_timestamp TEXT, error TEXT, error_type TEXT,
  cost INTEGER DEFAULT 0, logs TEXT);
CREATE INDEX idx_handler_runs_script_run ON handler_runs(script_run_id);
CREATE INDEX idx_handler_runs_workflow ON handler_runs(workflow_id);
CREATE INDEX idx_handler_runs_phase ON handler_runs(phase);
CREATE TABLE mutations (id TEXT PRIMARY KEY, handler_run_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL, tool_namespace TEXT, tool_method TEXT, params TEXT,
  idempotency_key TEXT, status TEXT NOT NULL DEFAULT 'pending', result TEXT, error TEXT,
  reconcile_attempts INTEGER NOT NULL DEFAULT 0, last_reconcile_at INTEGER,
  next_reconcile_at INTEGER, resolved_by TEXT, resolved_at INTEGER, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL);
CREATE INDEX idx_mutations_handler_run ON mutations(handler_run_id);
CREATE INDEX idx_mutations_workflow ON mutations(workflow_id);
CREATE INDEX idx_mutations_status ON mutations(status);
CREATE TABLE handler_state (id TEXT PRIMARY KEY, workflow_id TEXT NOT NULL,
  handler_name TEXT NOT NULL, state TEXT NOT NULL, updated_at INTEGER NOT NULL,
  updated_by_run_id TEXT NOT NULL);
CREATE TABLE script_runs (trigger TEXT, handler_run_count INTEGER DEFAULT 0);
CREATE TABLE workflows (handler_config TEXT, consumer_sleep_until INTEGER);
`;

/** The fields of the other specs, with the names of DESIGN for those of spec 000. */
const COLUMNS: { readonly [table: string]: string } = {
  script_runs: `id workflow_id lane start_request_id status flags run_start_sha run_end_sha
    terminal_event_id sandbox_id created_at`,
  run_events: `run_id idempotency_key run_seq event_id event_type emitted_at persisted_at tenant_id
    project_id environment_id plan_id plan_version engine_attempt_id logical_attempt_id step_id
    payload`,
  runner_repos: 'key path',
  runner_jobs: `id requested_by idempotency_key payload_hash repo_key script_key args status
    created_at started_at finished_at`,
  runner_job_events: 'job_id type at detail',
  trigger_events: 'trigger_id organization_id dedup_key raw_payload created_at',
  automation_runs: `organization_id automation_id trigger_event_id trigger_id status status_reason
    failure_stage queued_at enrichment_started_at enrichment_completed_at execution_started_at
    prompt_sent_at completed_at last_activity_at deadline_at session_id session_created_at
    completion_id completion_json completion_artifact_ref enrichment_artifact_ref
    sources_artifact_ref policy_artifact_ref`,
  automation_leases: 'lease_owner lease_expires_at lease_version',
  automation_run_events: 'run_id type from_status to_status data created_at',
  automation_side_effects: 'organization_id effect_id run_id kind provider response_json',
  outbox: 'organization_id kind payload status attempts available_at last_error',
};

/** Pointer only: nothing of the session itself. */
const RUN_CONTEXT_COLUMNS = `workflow_id lane version active_run_id sandbox_id last_accepted_seq
  updated_at`;

const INDEXES: { readonly [name: string]: { readonly on: string; readonly columns: string } } = {
  idx_run_contexts_active_run: { on: 'run_contexts', columns: 'active_run_id' },
  idx_script_runs_lane: { on: 'script_runs', columns: 'workflow_id lane created_at-desc' },
  idx_runner_jobs_status: { on: 'runner_jobs', columns: 'status' },
};

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
}

function wanted(): SQLite.Database {
  const memory = new SQLite(':memory:');
  memory.exec(SPEC_002);
  return memory;
}

const tablesOf002 = (memory: SQLite.Database): string[] =>
  (memory.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all() as Column[]).map(
    ({ name }) => name,
  );

const columnsOf002 = (memory: SQLite.Database, table: string): Column[] =>
  memory.prepare('SELECT name, type, "notnull" FROM pragma_table_info(?)').all(table) as Column[];

/** Of all specs. */
function wantedIndexes(): { name: string; on: string; columns: string[] }[] {
  const memory = wanted();
  const of002 = memory
    .prepare(`SELECT name, tbl_name AS "on" FROM sqlite_schema WHERE type = 'index' AND sql <> ''`)
    .all() as { name: string; on: string }[];
  expect(of002).toHaveLength(8);
  const columns = memory.prepare('SELECT name FROM pragma_index_info(?)').pluck();
  return [
    ...of002.map(({ name, on }) => ({ name, on, columns: columns.all(name) as string[] })),
    ...Object.entries(INDEXES).map(([name, index]) => ({
      name,
      on: index.on,
      columns: words(index.columns),
    })),
  ];
}

const columnsOf = (db: Database, table: string): Map<string, string> =>
  new Map(
    db
      .all<Column>('SELECT name, type FROM pragma_table_xinfo(?)', table)
      .map(({ name, type }) => [name, type]),
  );

const words = (text: string): string[] => text.trim().split(/\s+/);

/** The columns of an index in order; `partial` if it has a WHERE. */
function indexOf(db: Database, table: string, name: string): string[] {
  const isPartial = db.value<number>(
    'SELECT partial FROM pragma_index_list(?) WHERE name = ?',
    table,
    name,
  );
  const columns = db.all<{ name: string; desc: number }>(
    'SELECT name, "desc" FROM pragma_index_xinfo(?) WHERE key = 1',
    name,
  );
  const named = columns.map((column) => `${column.name}${column.desc === 1 ? '-desc' : ''}`);
  return isPartial === 0 ? named : ['partial', ...named];
}

describe('the shipped database', () => {
  it('[SP-1] has every table and column of spec 002 with its type, as synced tables', () => {
    const { db } = createTestHost().folder;
    const memory = wanted();
    const tables = tablesOf002(memory);
    expect(tables).toHaveLength(7);
    for (const table of tables) {
      const shipped = columnsOf(db, table);
      const columns = columnsOf002(memory, table);
      expect(columns.length, table).toBeGreaterThan(0);
      for (const { name, type } of columns) {
        expect(shipped.get(name), `${table}.${name}`).toBe(type);
      }
    }
    expect(syncedTables(db)).toEqual(expect.arrayContaining(tables));
  });

  it('[SP-1] has every column of specs 000, 001, 003 and 004, and a pointer without more', () => {
    const { db } = createTestHost().folder;
    for (const [table, columns] of Object.entries(COLUMNS)) {
      const shipped = [...columnsOf(db, table).keys()];
      expect(shipped, table).toEqual(expect.arrayContaining(words(columns)));
    }
    expect([...columnsOf(db, 'run_contexts').keys()]).toEqual(words(RUN_CONTEXT_COLUMNS));
  });

  it('[SP-1] has every index of the specs: its columns first, and not partial', () => {
    const { db } = createTestHost().folder;
    for (const { name, on, columns } of wantedIndexes()) {
      expect(indexOf(db, on, name).slice(0, columns.length), name).toEqual(columns);
    }
  });

  it('[SP-1] uses each index of the specs for the plain query by its columns', () => {
    const { db } = createTestHost().folder;
    for (const { name, on, columns } of wantedIndexes()) {
      const asked = columns.filter((column) => !column.endsWith('-desc'));
      const where = asked.map((column) => `${column} = ?`).join(' AND ');
      const plan = db.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT * FROM ${on} WHERE ${where}`,
        ...asked.map(() => 'x'),
      );
      const found = `USING INDEX ${name} (${asked.map((column) => `${column}=?`).join(' AND ')})`;
      expect(plan.map(({ detail }) => detail)).toEqual([`SEARCH ${on} ${found}`]);
    }
  });

  it('[SP-1] has a value in every column that spec 002 calls NOT NULL, in the rows that a run writes', async () => {
    const { db } = await afterOneInput();
    const memory = wanted();
    for (const table of tablesOf002(memory)) {
      const rows = db.all<Record<string, unknown>>(`SELECT * FROM ${table}`);
      expect(rows.length, table).toBeGreaterThan(0);
      for (const { name, notnull } of columnsOf002(memory, table)) {
        if (notnull === 0) continue;
        for (const row of rows) expect(row[name], `${table}.${name}`).not.toBeNull();
      }
    }
  });

  it('[SP-1] names in the rows of a run who made them and what came of them', async () => {
    const { db } = await afterOneInput();
    const run = db.get<{ id: string }>('SELECT * FROM handler_runs');
    expect(run).toMatchObject({
      script_run_id: db.value('SELECT id FROM script_runs'),
      prepare_result: expect.stringContaining('"reservations"'),
      output_state: expect.stringContaining('"last"'),
      end_timestamp: expect.stringMatching(/Z$/),
    });
    expect(db.get(`SELECT created_by_run_id FROM events WHERE title LIKE 'Done%'`)).toEqual({
      created_by_run_id: run?.id,
    });
    expect(db.get('SELECT * FROM mutations')).toMatchObject({
      handler_run_id: run?.id,
      tool_namespace: 'outside',
      tool_method: 'post',
      status: 'applied',
      result: '{"ok":true}',
    });
    expect(db.get('SELECT updated_by_run_id FROM handler_state')).toEqual({
      updated_by_run_id: run?.id,
    });
    expect(
      db.value('SELECT json_group_array(key) FROM workflows, json_each(handler_config)'),
    ).toMatch(/topics.*producers.*consumers/);
  });

  it('[SP-1] has every field of spec 004 filled for an input that succeeded', async () => {
    const { db } = await afterOneInput();
    // The lease of an ended run is deleted.
    const tables = /^(?:trigger_events|automation_(?!leases))/;
    for (const table of Object.keys(COLUMNS).filter((name) => tables.test(name))) {
      const rows = db.all<Record<string, unknown>>(`SELECT * FROM ${table}`);
      expect(rows.length, table).toBeGreaterThan(0);
      for (const name of words(COLUMNS[table] ?? '')) {
        // A run that went well has no reason and no stage that failed.
        const isOfFailures = ['status_reason', 'failure_stage'].includes(name);
        for (const row of isOfFailures ? [] : rows) {
          expect(row[name], `${table}.${name}`).not.toBeNull();
        }
      }
    }
    const input = db.get<{ id: string }>('SELECT id FROM trigger_events');
    const workflow = db.value('SELECT id FROM workflows');
    const created = db.value('SELECT created_at FROM events ORDER BY arrival, place LIMIT 1');
    expect(db.get('SELECT * FROM trigger_events')).toMatchObject({
      organization_id: 'space-1',
      trigger_id: 'manual',
      raw_payload: '{"n":1}',
      created_at: created,
    });
    expect(db.get('SELECT * FROM automation_runs')).toMatchObject({
      organization_id: 'space-1',
      automation_id: workflow,
      trigger_event_id: input?.id,
      trigger_id: 'manual',
      queued_at: created,
    });
    expect(db.get('SELECT * FROM automation_side_effects')).toMatchObject({
      organization_id: 'space-1',
      effect_id: db.value('SELECT idempotency_key FROM mutations'),
      run_id: db.value('SELECT id FROM automation_runs'),
      kind: 'outside.post',
      provider: 'outside',
      response_json: '{"ok":true}',
    });
    const { id } = db.get<{ id: string }>('SELECT id FROM automation_runs') ?? { id: '' };
    const [outbox] = db.all<Record<string, unknown>>('SELECT * FROM outbox ORDER BY id');
    expect(outbox).toMatchObject({
      organization_id: 'space-1',
      kind: 'enqueue_enrich',
      payload: JSON.stringify({ run_id: id }),
      status: 'dispatched',
    });
  });
});

/** A database in which an input with one effect and one event came to its end. */
async function afterOneInput(): Promise<{ readonly db: Database }> {
  const inputs = startInputs();
  const { under } = inputs;
  const workflowId = await under.add(POSTER);
  under.store.grants.set(workflowId, 'outside', {});
  await inputs.start(workflowId, { n: 1 });
  return under.store;
}
