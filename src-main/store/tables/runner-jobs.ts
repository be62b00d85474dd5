// Runner jobs and their history. The pure state machine decides every status change, the update
// guards it, a trigger checks it, and an event in the same transaction records it. A launcher's
// writes carry its lock version, so one that lost the lock changes nothing.
import {
  RUNNER_JOB_COLUMNS,
  toRunnerJob,
  type NewRunnerJob,
  type RunnerJob,
  type RunnerJobRow,
} from '#main/store/tables/runner-job-row.ts';
import { Store } from '#main/store/store-context.ts';
import { changedUnderLock, notFound, type NotFound } from '#main/store/sqlite/guarded-update.ts';
import { lastId, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { whereGiven } from '#main/store/sqlite/where.ts';
import type { Json } from '#shared/json.ts';
import {
  transitionRunnerJob,
  type RunnerJobStatus,
  type RunnerJobTransition,
} from '#shared/machines/runner-job.ts';
import { isRejection, type Rejection } from '#shared/rejection.ts';

export interface RunnerJobEvent {
  readonly seq: number;
  readonly type: string;
  readonly at: number;
  readonly detail: Json;
}

/** Facts about the end of a job besides its state. */
export interface RunnerJobEnd {
  readonly exitSignal?: string | null;
  readonly logBytes?: number;
  readonly logDroppedBytes?: number;
}

/** Another launcher took the lock. */
export interface Fenced {
  readonly type: 'fenced';
}

export type JobMove = { readonly type: 'moved'; readonly job: RunnerJob } | NotFound | Rejection;

const ACTIVE = `('running', 'cancel_requested')`;

export class RunnerJobStore extends Store {
  create(job: NewRunnerJob): RunnerJob {
    const { db, clock, ids } = this.context;
    return db.write(() => {
      const id = ids.ulid();
      db.run(
        `INSERT INTO runner_jobs (id, requested_by, idempotency_key, payload_hash, repo_key,
           script_key, args, timeout_ms, status, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?)`,
        id,
        job.requestedBy,
        job.idempotencyKey,
        job.payloadHash,
        job.repoKey,
        job.scriptKey,
        JSON.stringify(job.args),
        job.timeoutMs,
        clock.now(),
      );
      this.#changed(id, 'queued', {});
      return this.get(id) as RunnerJob;
    });
  }

  get(id: string): RunnerJob | undefined {
    const row = this.db.get<RunnerJobRow>(
      `SELECT ${RUNNER_JOB_COLUMNS} FROM runner_jobs WHERE id = ?`,
      id,
    );
    return row && toRunnerJob(row);
  }

  /** The newest job with this key, in any state. */
  ofKey(requestedBy: string, idempotencyKey: string): RunnerJob | undefined {
    const row = this.db.get<RunnerJobRow>(
      `SELECT ${RUNNER_JOB_COLUMNS} FROM runner_jobs
       WHERE requested_by = ? AND idempotency_key = ? ORDER BY id DESC LIMIT 1`,
      requestedBy,
      idempotencyKey,
    );
    return row && toRunnerJob(row);
  }

  /** Newest first. The cursor is the id of the last job seen. */
  list(
    page: Page & {
      readonly status?: RunnerJobStatus | undefined;
      readonly scriptKey?: string | undefined;
    },
  ): { jobs: RunnerJob[]; next: string | null } {
    const { where, params } = whereGiven([
      ['id < ?', page.after],
      ['status = ?', page.status],
      ['script_key = ?', page.scriptKey],
    ]);
    const jobs = this.db
      .all<RunnerJobRow>(
        `SELECT ${RUNNER_JOB_COLUMNS} FROM runner_jobs ${where} ORDER BY id DESC LIMIT ?`,
        ...params,
        page.limit,
      )
      .map(toRunnerJob);
    return {
      jobs,
      next: lastId(
        jobs.map(({ id }) => id),
        page.limit,
      ),
    };
  }

  events(jobId: string): RunnerJobEvent[] {
    return this.db
      .all<{ seq: number; type: string; at: number; detail: string }>(
        'SELECT seq, type, at, detail FROM runner_job_events WHERE job_id = ? ORDER BY seq',
        jobId,
      )
      .map((row) => ({ ...row, detail: JSON.parse(row.detail) as Json }));
  }

  queuedCount(requestedBy?: string): number {
    return requestedBy === undefined
      ? (this.db.value<number>(`SELECT count(*) FROM runner_jobs WHERE status = 'queued'`) ?? 0)
      : (this.db.value<number>(
          `SELECT count(*) FROM runner_jobs WHERE status = 'queued' AND requested_by = ?`,
          requestedBy,
        ) ?? 0);
  }

  /** Jobs that a launcher has claimed. */
  active(): RunnerJob[] {
    return this.db
      .all<RunnerJobRow>(
        `SELECT ${RUNNER_JOB_COLUMNS} FROM runner_jobs WHERE status IN ${ACTIVE} ORDER BY id`,
      )
      .map(toRunnerJob);
  }

  /**
   * Claims the oldest queued job whose script is not busy; undefined when there is none or the lock
   * is lost. One guarded statement does what SKIP LOCKED does elsewhere.
   */
  claim(
    launcher: { readonly version: number; readonly bootId: string },
    busyScripts: readonly string[],
  ): RunnerJob | undefined {
    const { db, clock } = this.context;
    return db.write(() => {
      const row = db.get<RunnerJobRow>(
        `UPDATE runner_jobs
         SET status = 'running', started_at = max(?, created_at), launcher_version = ?, boot_id = ?
         WHERE status = 'queued'
           AND id = (SELECT id FROM runner_jobs WHERE status = 'queued'
             AND script_key NOT IN (SELECT value FROM json_each(?)) ORDER BY id LIMIT 1)
           AND EXISTS (SELECT 1 FROM runner_launcher WHERE version = ?)
         RETURNING ${RUNNER_JOB_COLUMNS}`,
        clock.now(),
        launcher.version,
        launcher.bootId,
        JSON.stringify(busyScripts),
        launcher.version,
      );
      if (!row) return undefined;
      this.#changed(row.id, 'running', { launcher: launcher.version });
      return toRunnerJob(row);
    });
  }

  /** Recorded before the process starts: after a crash from here on, it may have run. */
  spawnAsked(id: string, version: number): boolean {
    return this.#guarded(id, version, `spawn = 'asked'`);
  }

  spawned(id: string, version: number, pid: number, pidStarted: string | null): boolean {
    return this.#guarded(id, version, `spawn = 'done', pid = ?, pid_started = ?`, pid, pidStarted);
  }

  /** Records a cancel request. The launcher that holds the lock carries it out. */
  requestCancel(id: string): JobMove {
    const { db, clock } = this.context;
    return db.write(() => this.#move(id, { type: 'request_cancel', at: clock.now() }));
  }

  /** Finishes a job as the launcher with this version. */
  end(
    id: string,
    version: number,
    event: RunnerJobTransition,
    end: RunnerJobEnd = {},
    detail: { readonly [key: string]: Json } = {},
  ): JobMove | Fenced {
    return this.db.write(() => {
      if (this.db.value('SELECT version FROM runner_launcher') !== version)
        return { type: 'fenced' };
      const moved = this.#move(id, event, detail);
      if (moved.type !== 'moved') return moved;
      this.db.run(
        `UPDATE runner_jobs SET exit_signal = ?, log_bytes = ?, log_dropped_bytes = ? WHERE id = ?`,
        end.exitSignal ?? null,
        end.logBytes ?? 0,
        end.logDroppedBytes ?? 0,
        id,
      );
      return { type: 'moved', job: this.get(id) as RunnerJob };
    });
  }

  /** Records an event that doesn't change the status. */
  recordEvent(id: string, type: string, detail: { readonly [key: string]: Json }): void {
    this.db.write(() => this.#changed(id, type, detail));
  }

  /** Finished jobs that still have a log, oldest first. */
  withLog(limit: number): RunnerJob[] {
    return this.db
      .all<RunnerJobRow>(
        `SELECT ${RUNNER_JOB_COLUMNS} FROM runner_jobs
         WHERE log_bytes > 0 AND log_removed_at IS NULL ORDER BY id LIMIT ?`,
        limit,
      )
      .map(toRunnerJob);
  }

  logTotal(): number {
    return (
      this.db.value<number>(
        `SELECT coalesce(sum(log_bytes), 0) FROM runner_jobs
         WHERE log_bytes > 0 AND log_removed_at IS NULL`,
      ) ?? 0
    );
  }

  logRemoved(id: string): void {
    const { db, clock } = this.context;
    db.write(() => {
      db.run('UPDATE runner_jobs SET log_removed_at = ? WHERE id = ?', clock.now(), id);
      this.#changed(id, 'log_removed', {});
    });
  }

  #guarded(id: string, version: number, set: string, ...values: unknown[]): boolean {
    return this.db.write(
      () =>
        this.db.run(
          `UPDATE runner_jobs SET ${set}
           WHERE id = ? AND status IN ${ACTIVE} AND launcher_version = ?
             AND EXISTS (SELECT 1 FROM runner_launcher WHERE version = ?)`,
          ...values,
          id,
          version,
          version,
        ) === 1,
    );
  }

  #move(
    id: string,
    event: RunnerJobTransition,
    detail: { readonly [key: string]: Json } = {},
  ): JobMove {
    const job = this.get(id);
    if (!job) return notFound('job', id);
    // After a clock was set back, the end must not precede the start.
    const begun = 'startedAt' in job.state ? (job.state.startedAt ?? 0) : 0;
    const at = Math.max(event.at, job.createdAt, begun);
    const to = transitionRunnerJob(job.state, { ...event, at });
    if (isRejection(to)) return to;
    const reason = 'reason' in to ? to.reason : undefined;
    const changed = this.db.run(
      `UPDATE runner_jobs SET status = ?, reason = ?, exit_code = ?, finished_at = ?,
         cancel_requested_at = coalesce(?, cancel_requested_at)
       WHERE id = ? AND status = ?`,
      to.status,
      reason ?? null,
      'exitCode' in to ? (to.exitCode ?? null) : null,
      'finishedAt' in to ? to.finishedAt : null,
      event.type === 'request_cancel' ? at : null,
      id,
      job.state.status,
    );
    if (changed !== 1) throw changedUnderLock('job', id);
    this.#changed(id, reason === 'recovered_after_crash' ? reason : to.status, {
      ...(reason === undefined ? {} : { reason }),
      ...detail,
    });
    return { type: 'moved', job: this.get(id) as RunnerJob };
  }

  /** Appends to the history and notifies the change feed. */
  #changed(id: string, type: string, detail: { readonly [key: string]: Json }): void {
    const { db, clock } = this.context;
    db.run(
      `INSERT INTO runner_job_events (job_id, seq, type, at, detail)
       VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM runner_job_events WHERE job_id = ?), ?, ?, ?)`,
      id,
      id,
      type,
      clock.now(),
      JSON.stringify(detail),
    );
    db.changes.record('runner_jobs', id);
  }
}
