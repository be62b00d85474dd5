// Queue depths, at a cost that doesn't grow with history.
import type { StoreContext } from '#main/store/store-context.ts';
import { MAX_QUEUE_COUNTED } from '#shared/limits.ts';

type Context = Pick<StoreContext, 'db' | 'clock'>;

interface Waiting {
  readonly depth: number;
  readonly oldestAgeMs: number;
}

/** Events that no run has reserved yet. */
export function pendingEvents(context: Context): Waiting {
  const { db } = context;
  const depth = db.value<number>(
    `SELECT count(*) FROM (
       SELECT 1 FROM topics JOIN events ON events.topic_id = topics.id AND events.status = 'pending'
       LIMIT ${MAX_QUEUE_COUNTED})`,
  );
  const oldest = db.value<number | null>(
    `SELECT min((SELECT created_at FROM events WHERE topic_id = topics.id AND status = 'pending'
                 ORDER BY arrival LIMIT 1)) FROM topics`,
  );
  return waiting(context, depth, oldest);
}

/** Runner jobs that have not started. */
export function queuedJobs(context: Context): Waiting {
  const { db } = context;
  const depth = db.value<number>(
    `SELECT count(*) FROM (
       SELECT 1 FROM runner_jobs WHERE status = 'queued' LIMIT ${MAX_QUEUE_COUNTED})`,
  );
  const oldest = db.value<number | null>(
    `SELECT created_at FROM runner_jobs WHERE status = 'queued' ORDER BY id LIMIT 1`,
  );
  return waiting(context, depth, oldest);
}

/** Unsettled effects by status. */
export function openEffects({ db }: Context): { readonly [status: string]: number } {
  const rows = db.all<{ status: string; n: number }>(
    `SELECT status, count(*) AS n FROM mutations
     WHERE status IN ('pending', 'in_flight', 'needs_reconcile', 'indeterminate')
     GROUP BY status`,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

/** Unfinished runner jobs by status. */
export function openJobs({ db }: Context): { readonly [status: string]: number } {
  const rows = db.all<{ status: string; n: number }>(
    `SELECT status, count(*) AS n FROM runner_jobs
     WHERE status IN ('queued', 'running', 'cancel_requested') GROUP BY status`,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

function waiting(
  { clock }: Context,
  depth: number | undefined,
  oldest: number | null | undefined,
): Waiting {
  return {
    depth: depth ?? 0,
    oldestAgeMs: typeof oldest === 'number' ? Math.max(0, clock.now() - oldest) : 0,
  };
}
