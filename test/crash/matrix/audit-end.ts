// Checks of the database after the last host process has finished all work.
import type SQLite from 'better-sqlite3';
import { runsOf } from '#test/crash/matrix/audit.ts';
import { ORDERS } from '#test/crash/matrix/cell.ts';

export interface Outcome {
  readonly n: number;
  readonly outcome: { readonly status: string; readonly result?: unknown };
}

export interface EndAudit {
  readonly unfinished: string[];
  readonly lost: string[];
  /** The outcome that `next` received for each order. */
  readonly outcomes: readonly Outcome[];
}

export function auditEnd(db: SQLite.Database, isWebhook: boolean): EndAudit {
  const unfinished: string[] = [];
  const lost: string[] = [];
  const add = (what: string, sql: string): void => {
    for (const row of db.prepare(sql).all()) unfinished.push(`${what}: ${JSON.stringify(row)}`);
  };
  add(
    'open run',
    `SELECT handler_name, phase FROM handler_runs WHERE phase NOT IN ('committed', 'failed')`,
  );
  add(
    'open session',
    `SELECT id, status FROM script_runs WHERE status IN ('booting', 'running', 'validating')`,
  );
  add('open pointer', 'SELECT lane FROM run_contexts WHERE active_run_id IS NOT NULL');
  add(
    'event not done',
    `SELECT message_id, status, skip_reason FROM events
     WHERE status NOT IN ('consumed', 'skipped') OR skip_reason = 'set_aside'`,
  );
  add(
    'effect not settled',
    `SELECT status FROM mutations WHERE status IN ('pending', 'in_flight', 'needs_reconcile')
     OR (status = 'indeterminate' AND resolved_by IS NULL)`,
  );
  add('resolution not decided', `SELECT id FROM resolutions WHERE status = 'waiting'`);
  add(
    'input not ended',
    `SELECT kind, status, status_reason FROM automation_runs
     WHERE status NOT IN ('succeeded', 'skipped') OR completion_artifact_ref IS NULL
       AND status = 'succeeded'`,
  );
  add('outbox not empty', `SELECT kind, last_error FROM outbox WHERE status <> 'dispatched'`);
  add('workflow stopped', `SELECT status_reason FROM workflows WHERE status <> 'active'`);

  const inputs = db
    .prepare<[], { kind: string; n: number }>(
      'SELECT kind, count(*) AS n FROM trigger_events GROUP BY kind',
    )
    .all();
  const wanted = isWebhook ? { kind: 'webhook', n: ORDERS.length } : { kind: 'schedule', n: 1 };
  if (JSON.stringify(inputs) !== JSON.stringify([wanted])) {
    lost.push(`inputs: ${JSON.stringify(inputs)}`);
  }
  const outcomes = db
    .prepare<[], { payload: string }>(`SELECT payload FROM events WHERE message_id LIKE 'd%'`)
    .all()
    .map(({ payload }) => JSON.parse(payload) as Outcome);
  const expected = JSON.stringify(ORDERS);
  const published = JSON.stringify(outcomes.map(({ n }) => n).toSorted((a, b) => a - b));
  if (published !== expected) lost.push(`published ${published}, not ${expected}`);
  for (const handler of ['act', 'tally']) {
    const state = db
      .prepare<[string], { state: string }>(
        'SELECT state FROM handler_state WHERE handler_name = ?',
      )
      .get(handler)?.state;
    const orders = JSON.parse(state ?? '[]') as number[];
    const sorted = JSON.stringify(orders.toSorted((a, b) => a - b));
    if (sorted !== expected) lost.push(`the state of ${handler} is ${state}, not ${expected}`);
    const committed = runsOf(db).filter(
      (run) => run.handler_name === handler && run.phase === 'committed',
    ).length;
    if (committed !== ORDERS.length) lost.push(`${handler} committed ${committed} times`);
  }
  return { unfinished, lost, outcomes };
}
