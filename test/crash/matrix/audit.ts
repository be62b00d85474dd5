// Checks invariants in the database of a host process that was killed or has exited.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';
import type { Phase } from '#shared/machines/handler-run.ts';

/** The statuses that a run's mutation may have in each phase; `none`: no mutation. */
const LEGAL_STATUSES: { readonly [phase in Phase]: readonly string[] } = {
  pending: ['none'],
  preparing: ['none'],
  prepared: ['none'],
  executing: ['none'],
  mutating: ['in_flight', 'failed'],
  mutated: ['applied', 'indeterminate', 'none'],
  emitting: ['applied', 'indeterminate', 'none'],
  suspended: ['pending', 'in_flight', 'needs_reconcile', 'indeterminate', 'failed', 'none'],
  committed: ['applied', 'indeterminate', 'none'],
  failed: ['failed', 'applied', 'indeterminate', 'none'],
};

const ORDER: readonly Phase[] = [
  'pending',
  'executing',
  'preparing',
  'prepared',
  'mutating',
  'mutated',
  'emitting',
  'committed',
];

/** Rows that must never exist, because the rows of each query are written in one transaction. */
const NEVER = {
  'gap in the log': `SELECT run_id FROM run_events GROUP BY run_id
    HAVING min(run_seq) <> 1 OR max(run_seq) <> count(*) OR count(DISTINCT run_seq) <> count(*)`,
  'event reserved by an ended run': `SELECT e.message_id, r.phase FROM events e
    LEFT JOIN handler_runs r ON r.id = e.reserved_by_run_id
    WHERE e.status = 'reserved' AND (r.id IS NULL OR r.phase IN ('committed', 'failed'))`,
  'event consumed by a run that has not committed': `SELECT e.message_id, r.phase FROM events e
    LEFT JOIN handler_runs r ON r.id = e.reserved_by_run_id
    WHERE e.status = 'consumed' AND r.phase IS NOT 'committed'`,
  'event published by a run that has not committed': `SELECT e.message_id, r.phase FROM events e
    LEFT JOIN handler_runs r ON r.id = e.created_by_run_id
    WHERE e.created_by_run_id IS NOT NULL AND r.phase IS NOT 'committed'`,
  'state written by a run that has not committed': `SELECT s.handler_name, r.phase FROM handler_state s
    LEFT JOIN handler_runs r ON r.id = s.updated_by_run_id
    WHERE s.state IS NOT NULL AND r.phase IS NOT 'committed'`,
  'open run without its reserved events': `SELECT r.handler_name, r.phase, e.status
    FROM handler_runs r, json_each(r.prepare_result, '$.reservations') reserved
    LEFT JOIN events e ON e.id = reserved.value ->> 'eventId'
    WHERE r.phase NOT IN ('committed', 'failed') AND e.status IS NOT 'skipped'
      AND e.reserved_by_run_id IS NOT r.id`,
  'input without its automation run': `SELECT t.id FROM trigger_events t
    LEFT JOIN automation_runs r ON r.trigger_event_id = t.id WHERE r.id IS NULL`,
  'automation run without its input': `SELECT r.id FROM automation_runs r
    LEFT JOIN trigger_events t ON t.id = r.trigger_event_id WHERE t.id IS NULL`,
  'automation run without the outbox entry of its stage': `SELECT r.status FROM automation_runs r
    WHERE (r.status IN ('queued', 'enriching') AND NOT EXISTS (SELECT 1 FROM outbox
        WHERE run_id = r.id AND kind = 'enqueue_enrich' AND status = 'pending'))
      OR (r.status = 'ready' AND NOT EXISTS (SELECT 1 FROM outbox
        WHERE run_id = r.id AND kind = 'enqueue_execute' AND status = 'pending'))`,
  'automation run past ready without its first event': `SELECT r.id FROM automation_runs r
    JOIN trigger_events t ON t.id = r.trigger_event_id
    WHERE r.status IN ('running', 'needs_human', 'succeeded') AND t.facts ->> 'topic' IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM events WHERE message_id = 'run:' || r.id || ':prompt:v1')`,
  'first event published too early or twice': `SELECT e.message_id FROM events e
    JOIN automation_runs r ON r.trigger_event_id = e.caused_by
    WHERE e.message_id LIKE 'run:%' AND (r.status IN ('queued', 'enriching', 'ready')
      OR e.message_id <> 'run:' || r.id || ':prompt:v1')`,
  'automation run ended before the events it caused': `SELECT r.status, e.message_id, e.status FROM automation_runs r
    JOIN events e ON e.caused_by = r.trigger_event_id
    WHERE r.status IN ('succeeded', 'failed', 'skipped') AND e.status IN ('pending', 'reserved')`,
  'unknown outcome of an input that is not needs_human': `SELECT r.status FROM automation_runs r
    JOIN events e ON e.caused_by = r.trigger_event_id AND e.status = 'reserved'
    JOIN mutations m ON m.handler_run_id = e.reserved_by_run_id
    WHERE m.status = 'indeterminate' AND m.resolved_by IS NULL AND r.status IS 'running'`,
  'session started twice': `SELECT start_request_id FROM script_runs WHERE start_request_id LIKE 'run:%'
    GROUP BY start_request_id HAVING count(*) > 1`,
} as const;

export interface RunRow {
  readonly id: string;
  readonly phase: Phase;
  readonly progress: string;
  readonly handler_name: string;
  readonly retry_of: string | null;
  readonly status: string | null;
  readonly resolved_by: string | null;
}

/** Reads a copy, so that the next host process finds the files as the last one left them. */
export function withCopy<Result>(dataDir: string, read: (db: SQLite.Database) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-audit-'));
  try {
    for (const end of ['', '-wal']) {
      const file = join(dataDir, `${DATABASE_FILE}${end}`);
      if (existsSync(file)) copyFileSync(file, join(folder, `${DATABASE_FILE}${end}`));
    }
    const db = new SQLite(join(folder, DATABASE_FILE));
    try {
      return read(db);
    } finally {
      db.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Invariants that hold at any time, also right after a kill. */
export function auditAnytime(db: SQLite.Database): string[] {
  const problems: string[] = [];
  const check = db.pragma('integrity_check', { simple: true });
  if (check !== 'ok') return [`integrity_check: ${String(check)}`];
  // Killed before the migrations ran; the next start runs them.
  if (!hasTables(db)) return problems;
  for (const [problem, sql] of Object.entries(NEVER)) {
    const rows = db.prepare(sql).all();
    problems.push(...rows.map((row) => `${problem}: ${JSON.stringify(row)}`));
  }
  for (const run of runsOf(db)) problems.push(...auditRun(run));
  return problems;
}

export function runsOf(db: SQLite.Database): RunRow[] {
  return db
    .prepare<[], RunRow>(
      `SELECT r.id, r.phase, r.progress, r.handler_name, r.retry_of, m.status, m.resolved_by
       FROM handler_runs r LEFT JOIN mutations m ON m.handler_run_id = r.id ORDER BY r.id`,
    )
    .all();
}

function auditRun(run: RunRow): string[] {
  const problems: string[] = [];
  const status = run.status ?? 'none';
  if (!LEGAL_STATUSES[run.phase].includes(status)) {
    problems.push(`${run.handler_name} is ${run.phase} and its mutation is ${status}`);
  }
  const { timeline = {} } = JSON.parse(run.progress) as { timeline?: { [phase: string]: number } };
  const places = Object.keys(timeline)
    .map((phase) => ORDER.indexOf(phase as Phase))
    .filter((place) => place !== -1);
  if (places.some((place, index) => index > 0 && place <= (places[index - 1] ?? -1))) {
    problems.push(`${run.handler_name} passed ${Object.keys(timeline).join(' → ')}`);
  }
  return problems;
}

export function hasTables(db: SQLite.Database): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'resolutions'`).get() !== undefined;
}
