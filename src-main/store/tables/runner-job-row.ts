// A runner job and its row.
import type { WithJsonText } from '#main/store/sqlite/json-columns.ts';
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

export interface RunnerJobRow
  extends WithJsonText<Omit<RunnerJob, 'state'>, 'args'>, StateColumns {}

interface StateColumns {
  readonly status: RunnerJobStatus;
  readonly reason: string | null;
  readonly exitCode: number | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
}

export const RUNNER_JOB_COLUMNS = `id, requested_by AS requestedBy, idempotency_key AS idempotencyKey,
  payload_hash AS payloadHash, repo_key AS repoKey, script_key AS scriptKey, args,
  timeout_ms AS timeoutMs, status, reason, exit_code AS exitCode, exit_signal AS exitSignal,
  created_at AS createdAt, started_at AS startedAt, cancel_requested_at AS cancelRequestedAt,
  finished_at AS finishedAt, boot_id AS bootId, spawn, pid, pid_started AS pidStarted,
  log_bytes AS logBytes, log_dropped_bytes AS logDroppedBytes, log_removed_at AS logRemovedAt`;

export function toRunnerJob(row: RunnerJobRow): RunnerJob {
  const { status, reason, exitCode, startedAt, finishedAt, ...job } = row;
  return {
    ...job,
    args: JSON.parse(row.args) as JsonObject,
    state: toState({ status, reason, exitCode, startedAt, finishedAt }),
  };
}

/** CHECK constraints guarantee the times. */
function toState(columns: StateColumns): RunnerJobState {
  const { status, reason, exitCode, startedAt, finishedAt } = columns;
  if (status === 'queued') return { status };
  if (status === 'running' || status === 'cancel_requested') {
    return { status, startedAt: startedAt ?? 0 };
  }
  return {
    status,
    finishedAt: finishedAt ?? 0,
    ...(startedAt === null ? {} : { startedAt }),
    ...(exitCode === null ? {} : { exitCode }),
    ...(reason === null ? {} : { reason }),
  };
}
