// A runner job and its row.
import type { Json, JsonObject } from '#shared/json.ts';
import type { RunnerJobState, RunnerJobStatus } from '#shared/machines/runner-job.ts';

export interface NewRunnerJob {
  readonly requestedBy: string;
  readonly idempotencyKey: string | null;
  readonly payloadHash: string;
  readonly repoKey: string;
  readonly scriptKey: string;
  readonly args: { readonly [name: string]: Json };
  readonly timeoutMs: number;
}

export interface RunnerJob extends NewRunnerJob {
  readonly id: string;
  readonly state: RunnerJobState;
  readonly exitSignal: string | null;
  readonly createdAt: number;
  readonly cancelRequestedAt: number | null;
  /** Id of the machine's boot in which the job was claimed. */
  readonly bootId: string | null;
  /** Whether the process start was not requested, requested, or confirmed. */
  readonly spawn: 'asked' | 'done' | null;
  readonly pid: number | null;
  readonly pidStarted: string | null;
  readonly logBytes: number;
  readonly logDroppedBytes: number;
  readonly logRemovedAt: number | null;
}

export interface RunnerJobRow {
  id: string;
  requested_by: string;
  idempotency_key: string | null;
  payload_hash: string;
  repo_key: string;
  script_key: string;
  args: string;
  timeout_ms: number;
  status: RunnerJobStatus;
  reason: string | null;
  exit_code: number | null;
  exit_signal: string | null;
  created_at: number;
  started_at: number | null;
  cancel_requested_at: number | null;
  finished_at: number | null;
  boot_id: string | null;
  spawn: 'asked' | 'done' | null;
  pid: number | null;
  pid_started: string | null;
  log_bytes: number;
  log_dropped_bytes: number;
  log_removed_at: number | null;
}

export const RUNNER_JOB_COLUMNS = `id, requested_by, idempotency_key, payload_hash, repo_key,
  script_key, args, timeout_ms, status, reason, exit_code, exit_signal, created_at, started_at,
  cancel_requested_at, finished_at, boot_id, spawn, pid, pid_started, log_bytes, log_dropped_bytes,
  log_removed_at`;

export function toRunnerJob(row: RunnerJobRow): RunnerJob {
  return {
    id: row.id,
    requestedBy: row.requested_by,
    idempotencyKey: row.idempotency_key,
    payloadHash: row.payload_hash,
    repoKey: row.repo_key,
    scriptKey: row.script_key,
    args: JSON.parse(row.args) as JsonObject,
    timeoutMs: row.timeout_ms,
    state: toState(row),
    exitSignal: row.exit_signal,
    createdAt: row.created_at,
    cancelRequestedAt: row.cancel_requested_at,
    bootId: row.boot_id,
    spawn: row.spawn,
    pid: row.pid,
    pidStarted: row.pid_started,
    logBytes: row.log_bytes,
    logDroppedBytes: row.log_dropped_bytes,
    logRemovedAt: row.log_removed_at,
  };
}

/** CHECK constraints guarantee the times. */
function toState(row: RunnerJobRow): RunnerJobState {
  const { status } = row;
  if (status === 'queued') return { status };
  if (status === 'running' || status === 'cancel_requested') {
    return { status, startedAt: row.started_at ?? 0 };
  }
  return {
    status,
    finishedAt: row.finished_at ?? 0,
    ...(row.started_at === null ? {} : { startedAt: row.started_at }),
    ...(row.exit_code === null ? {} : { exitCode: row.exit_code }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}
