// A long history of runs, written straight into the tables. The triggers that keep runs to their
// phases are set aside for it: what is written is as if it had been lived through.
import { createSystemIds, systemClock } from '#main/host/system.ts';
import { Database } from '#main/store/database.ts';
import { createStores } from '#main/store/stores.ts';
import { eventId, mutationId, topicId } from '#shared/ids.ts';
import { createUlidSource } from '#shared/ulid.ts';

const WORKFLOWS = ['Invoices to mail', 'Daily report', 'Feed digest', 'Tidy downloads'];
const MINUTE = 60_000;
const BATCH = 2_000;

interface Amounts {
  readonly runs: number;
  /** Events of the same history; none where only runs are looked at. */
  readonly events?: number;
}

/** Into a database that a host has made and left. Returns the first of its workflows. */
export function seedHistory(path: string, { runs, events = 0 }: Amounts): string {
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
    withoutRules(db, ['handler_runs', 'mutations', 'events'], () => {
      inBatches(db, runs, (n) => insertRun(db, n, runs, deviceId));
      inBatches(db, events, (n) => insertEvent(db, n));
    });
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

function withoutRules(db: Database, tables: readonly string[], write: () => void): void {
  const rules = db.all<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'
     AND tbl_name IN (SELECT value FROM json_each(?)) AND name NOT LIKE '%crsql%'`,
    JSON.stringify(tables),
  );
  for (const { name } of rules) db.exec(`DROP TRIGGER "${name}"`);
  write();
  for (const { sql } of rules) db.exec(sql);
}

/** The last of `total` is the newest: one a minute, up to now. */
function insertRun(db: Database, n: number, total: number, deviceId: string): void {
  const at = Date.now() - (total - n) * MINUTE;
  const id = createUlidSource(
    () => at,
    (count) => crypto.getRandomValues(new Uint8Array(count)),
  )();
  const workflowId = `seeded-${n % WORKFLOWS.length}`;
  const isFailed = n % 37 === 0;
  const end = { end_timestamp: new Date(at + 800).toISOString() };
  const timeline = { prepared: at + 20, mutating: at + 30, mutated: at + 700, emitting: at + 750 };
  const facts = {
    script_run_id: `session-${Math.floor(n / 50)}`,
    workflow_id: workflowId,
    handler_type: 'consumer',
    handler_name: 'send',
    input_state: { sent: n },
    device_id: deviceId,
    epoch: 1,
    start_timestamp: new Date(at).toISOString(),
  };
  const progress = isFailed
    ? { phase: 'failed', error_type: 'network', error: 'The server said 503.', ...end, timeline }
    : { phase: 'committed', output_state: { sent: n + 1 }, ...end, timeline };
  const checkpoint = { reservations: [], data: { n }, ui: { title: `Send invoice ${n}` } };
  insert(db, 'handler_runs', id, { facts, progress, prepare_result: checkpoint });
  insert(db, 'mutations', mutationId(id), {
    facts: {
      handler_run_id: id,
      workflow_id: workflowId,
      device_id: deviceId,
      epoch: 1,
      created_at: at,
    },
    outcome: { status: isFailed ? 'failed' : 'applied', updated_at: at },
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
