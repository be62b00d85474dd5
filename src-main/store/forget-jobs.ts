// Jobs that another device, or this one in a time that this database does not know of, may have
// brought to their end: nobody here can say whether their scripts ran. They end as after a crash of
// an unknown machine, so nothing starts them and nothing claims that they did not run.
import type { Database } from '#main/store/database.ts';

const REASON = 'recovered_after_crash';

export function forgetJobs(db: Database, at: number): void {
  const open = db.all<{ id: string }>(
    `SELECT id FROM runner_jobs WHERE status IN ('queued', 'running', 'cancel_requested')`,
  );
  for (const { id } of open) {
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
