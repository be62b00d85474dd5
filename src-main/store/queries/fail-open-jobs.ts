// Fails the open jobs of a restored or copied database. Their scripts may have run, on another
// device or after this backup, so they end as after a crash: nothing starts them again, and nothing
// claims that they didn't run.
import type { Database } from '#main/store/sqlite/database.ts';

const REASON = 'recovered_after_crash';

export function failOpenJobs(db: Database, at: number): void {
  const open = db.values<string>(
    `SELECT id FROM runner_jobs WHERE status IN ('queued', 'running', 'cancel_requested')`,
  );
  for (const id of open) {
    db.run(
      `UPDATE runner_jobs SET status = 'failed', reason = ?,
         finished_at = max(?, created_at, coalesce(started_at, 0)) WHERE id = ?`,
      REASON,
      at,
      id,
    );
    db.run(
      `INSERT INTO runner_job_events (job_id, seq, type, at, detail)
       SELECT ?, coalesce(max(seq), 0) + 1, ?, ?, '{"machine":"unknown"}'
       FROM runner_job_events WHERE job_id = ?`,
      id,
      REASON,
      at,
      id,
    );
  }
}
