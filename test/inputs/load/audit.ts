// Checks the database after the load.
import { withCopy } from '#test/crash/matrix/audit.ts';

export interface LoadAudit {
  readonly inputs: number;
  readonly runs: number;
  readonly byStatus: { readonly [status: string]: number };
  /** Runs that have not ended. */
  readonly stuck: number;
  readonly effectsInLedger: number;
  /** Runs with more than one session. */
  readonly duplicateSessions: number;
  readonly duplicatePrompts: number;
  readonly outboxLeft: number;
}

export function auditLoad(dataDir: string): LoadAudit {
  return withCopy(dataDir, (db) => {
    const count = (sql: string): number => db.prepare<[], { n: number }>(sql).get()?.n ?? -1;
    const statuses = db
      .prepare<[], { status: string; n: number }>(
        'SELECT status, count(*) AS n FROM automation_runs GROUP BY status',
      )
      .all();
    const open = `status IN ('queued', 'enriching', 'ready', 'running', 'needs_human')`;
    return {
      inputs: count('SELECT count(*) AS n FROM trigger_events'),
      runs: count('SELECT count(*) AS n FROM automation_runs'),
      byStatus: Object.fromEntries(statuses.map(({ status, n }) => [status, n])),
      stuck: count(`SELECT count(*) AS n FROM automation_runs WHERE ${open}`),
      effectsInLedger: count('SELECT count(*) AS n FROM automation_side_effects'),
      duplicateSessions: count(
        `SELECT count(*) AS n FROM (SELECT 1 FROM script_runs
           WHERE start_request_id LIKE 'run:%' GROUP BY start_request_id HAVING count(*) > 1)`,
      ),
      duplicatePrompts: count(
        `SELECT count(*) AS n FROM (SELECT 1 FROM events WHERE message_id LIKE 'run:%'
           GROUP BY caused_by HAVING count(*) > 1)`,
      ),
      outboxLeft: count(`SELECT count(*) AS n FROM outbox WHERE status <> 'dispatched'`),
    };
  });
}
