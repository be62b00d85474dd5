// Writes a long history directly into the tables. The triggers that enforce legal transitions are dropped
// meanwhile, because rows are inserted in their final state.
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { createStores } from '#main/store/stores.ts';
import { freezeFlags } from '#shared/flags.ts';
import { automationRunId, eventId, inputId, mutationId, topicId } from '#shared/ids.ts';
import { createUlidSource } from '#shared/ulid.ts';

const WORKFLOWS = ['Invoices to mail', 'Daily report', 'Feed digest', 'Tidy downloads'];
const MINUTE = 60_000;
const BATCH = 2_000;
const RUNS_PER_SESSION = 50;

interface Amounts {
  readonly runs: number;
  /** Consumed events. */
  readonly events?: number;
  /** Succeeded inputs, each with its automation run. */
  readonly inputs?: number;
  /** Succeeded runner jobs. */
  readonly jobs?: number;
  /** Runs with an unknown outcome. */
  readonly unknown?: number;
}

/** Fills a migrated database that no host has open. Returns the id of the first workflow. */
export function seedHistory(
  path: string,
  { runs, events = 0, inputs = 0, jobs = 0, unknown = 0 }: Amounts,
): string {
  const db = new Database(path);
  try {
    db.pragma('synchronous = OFF');
    const deviceId = db.value<string>('SELECT id FROM devices LIMIT 1') ?? 'device';
    const context = { db, clock: systemClock, ids: createSystemIds(systemClock), deviceId };
    const stores = createStores({ ...context, spaceId: 'space' });
    stores.lineages.open();
    const ids = WORKFLOWS.map(
      (name, n) => stores.workflows.create(`seeded-${n}`, { name, scriptId: null }).id,
    );
    withoutTriggers(
      db,
      ['handler_runs', 'mutations', 'events', 'script_runs', 'automation_runs', 'runner_jobs'],
      () => {
        inBatches(db, runs, (n) => insertRun(db, n, runs, deviceId));
        inBatches(db, Math.ceil(runs / RUNS_PER_SESSION), (n) => insertSession(db, n, deviceId));
        inBatches(db, events, (n) => insertEvent(db, n));
        inBatches(db, inputs, (n) => insertInput(db, n, deviceId));
        inBatches(db, jobs, (n) => insertJob(db, n));
        inBatches(db, unknown, (n) => insertUnknown(db, n, deviceId));
      },
    );
    return ids[0] ?? '';
  } finally {
    db.close();
  }
}

function inBatches(db: Database, total: number, write: (n: number) => void): void {
  for (let from = 0; from < total; from += BATCH) {
    db.write(() => {
      for (let n = from; n < Math.min(from + BATCH, total); n += 1) write(n);
    });
  }
}

function withoutTriggers(db: Database, tables: readonly string[], write: () => void): void {
  const triggers = db.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'
     AND tbl_name IN (SELECT value FROM json_each(?)) AND name NOT LIKE '%crsql%'`,
    JSON.stringify(tables),
  );
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`);
  write();
  for (const { sql } of triggers) db.exec(sql);
}

/** One run a minute; the last of `total` is the newest. */
function insertRun(db: Database, n: number, total: number, deviceId: string): void {
  const at = Date.now() - (total - n) * MINUTE;
  const isFailed = n % 37 === 0;
  const end = { end_timestamp: new Date(at + 800).toISOString() };
  const timeline = { prepared: at + 20, mutating: at + 30, mutated: at + 700, emitting: at + 750 };
  const progress = isFailed
    ? { phase: 'failed', error_type: 'network', error: 'The server said 503.', ...end, timeline }
    : { phase: 'committed', output_state: { sent: n + 1 }, ...end, timeline };
  const outcome = { status: isFailed ? 'failed' : 'applied', updated_at: at };
  insertRunWithEffect(db, n, { at, deviceId, progress, outcome });
}

function insertUnknown(db: Database, n: number, deviceId: string): void {
  const at = Date.now() - n * MINUTE;
  insertRunWithEffect(db, n, {
    at,
    deviceId,
    progress: {
      phase: 'suspended',
      resume_phase: 'mutating',
      reason: 'reconciliation',
      timeline: { prepared: at + 20, mutating: at + 30 },
    },
    outcome: { status: 'indeterminate', error: 'The connection was lost.', updated_at: at },
  });
}

/** A run with an effect, in the given state. */
function insertRunWithEffect(
  db: Database,
  n: number,
  {
    at,
    deviceId,
    progress,
    outcome,
  }: { at: number; deviceId: string } & Record<
    'progress' | 'outcome',
    Readonly<Record<string, unknown>>
  >,
): void {
  const id = ulidAt(at);
  const workflowId = `seeded-${n % WORKFLOWS.length}`;
  const made = { workflow_id: workflowId, device_id: deviceId, epoch: 1 };
  insert(db, 'handler_runs', id, {
    facts: {
      ...made,
      script_run_id: `session-${Math.floor(n / RUNS_PER_SESSION)}`,
      handler_type: 'consumer',
      handler_name: 'send',
      input_state: { sent: n },
      start_timestamp: new Date(at).toISOString(),
    },
    progress,
    prepare_result: { reservations: [], data: { n }, ui: { title: `Send invoice ${n}` } },
  });
  insert(db, 'mutations', mutationId(id), {
    facts: { ...made, handler_run_id: id, created_at: at },
    call: {
      tool_namespace: 'http',
      tool_method: 'post',
      params: { url: 'http://127.0.0.1/pay', body: { n } },
      idempotency_key: mutationId(id),
    },
    outcome,
  });
}

function insertJob(db: Database, n: number): void {
  const at = Date.now() - n * MINUTE;
  db.run(
    `INSERT INTO runner_jobs (id, requested_by, payload_hash, repo_key, script_key, args,
       timeout_ms, status, exit_code, created_at, started_at, finished_at)
     VALUES (?, 'person', '', 'home', 'tidy', '{}', 60000, 'succeeded', 0, ?, ?, ?)`,
    ulidAt(at),
    at,
    at + 10,
    at + 900,
  );
}

function insertSession(db: Database, n: number, deviceId: string): void {
  const at = Date.now() - n * MINUTE * RUNS_PER_SESSION;
  insert(db, 'script_runs', `session-${n}`, {
    facts: {
      workflow_id: `seeded-${n % WORKFLOWS.length}`,
      lane: 'main',
      start_request_id: `event:${n}`,
      trigger: 'event',
      script_id: null,
      run_start_sha: '',
      flags: freezeFlags(),
      device_id: deviceId,
      created_at: at,
    },
    progress: { status: 'completed', updated_at: at },
  });
}

function insertInput(db: Database, n: number, deviceId: string): void {
  const workflowId = `seeded-${n % WORKFLOWS.length}`;
  const at = Date.now() - n * MINUTE;
  const id = inputId(workflowId, 'hook', `m${n}`);
  const common = { organization_id: 'space', trigger_id: 'hook', kind: 'webhook', source: 'shop' };
  insert(db, 'trigger_events', id, {
    facts: {
      ...common,
      workflow_id: workflowId,
      dedup_key: `m${n}`,
      type: 'order',
      external_id: `m${n}`,
      title: `Order ${n}`,
      correlation_id: id,
      bytes: 20,
      sha256: id,
      device_id: deviceId,
      created_at: at,
    },
    raw_payload: { n },
  });
  insert(db, 'automation_runs', automationRunId(id), {
    facts: {
      ...common,
      automation_id: workflowId,
      trigger_event_id: id,
      queued_at: at,
      deadline_at: at + MINUTE,
    },
    progress: {
      status: 'succeeded',
      completion_id: id,
      moves: 4,
      completed_at: at + 900,
      last_activity_at: at + 900,
    },
  });
}

function insertEvent(db: Database, n: number): void {
  const topic = topicId(`seeded-${n % WORKFLOWS.length}`, 'invoice');
  const at = Date.now() - n * 1000;
  insert(db, 'events', eventId(topic, `m${n}`), {
    facts: {
      topic_id: topic,
      workflow_id: `seeded-${n % WORKFLOWS.length}`,
      message_id: `m${n}`,
      created_at: at,
    },
    content: { title: `Invoice ${n}`, payload: { n } },
    progress: { status: 'consumed', attempt_number: 1, updated_at: at },
  });
}

function insert(db: Database, table: string, id: string, row: Record<string, object>): void {
  const columns = Object.keys(row);
  db.run(
    `INSERT INTO ${table} (id, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})`,
    id,
    ...Object.values(row).map((value) => JSON.stringify(value)),
  );
}

const ulidAt = (at: number): string =>
  createUlidSource(
    () => at,
    (count) => crypto.getRandomValues(new Uint8Array(count)),
  )();
