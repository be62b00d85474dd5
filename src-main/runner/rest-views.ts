// Jobs and scripts in the format of the REST API.
import { rfc3339 } from '#shared/clock.ts';
import type { RestJob, RestScript } from '#shared/api/runner-rest.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { Registry } from '#shared/runner/registry.ts';

export function toRestJob(job: RunnerJob): RestJob {
  const { state } = job;
  return {
    id: job.id,
    repo_key: job.repoKey,
    script_key: job.scriptKey,
    args: { ...job.args },
    requested_by: job.requestedBy,
    idempotency_key: job.idempotencyKey,
    status: state.status,
    reason: ('reason' in state ? state.reason : null) ?? null,
    exit_code: ('exitCode' in state ? state.exitCode : null) ?? null,
    exit_signal: job.exitSignal,
    timeout_seconds: job.timeoutMs / 1000,
    created_at: rfc3339(job.createdAt),
    started_at: timeOr('startedAt' in state ? state.startedAt : undefined),
    cancel_requested_at: timeOr(job.cancelRequestedAt),
    finished_at: timeOr('finishedAt' in state ? state.finishedAt : undefined),
    log_bytes: job.logBytes,
    log_dropped_bytes: job.logDroppedBytes,
    log_removed_at: timeOr(job.logRemovedAt),
  };
}

export function toRestScripts({ scripts, repos }: Registry): RestScript[] {
  return Object.entries(scripts).map(([key, script]) => ({
    key,
    title: script.title,
    description: script.description,
    repos: script.repos ?? Object.keys(repos),
    args: Object.fromEntries(
      Object.entries(script.args).map(([name, arg]) => [
        name,
        {
          type: arg.type,
          description: arg.description ?? '',
          required: arg.required,
          default: arg.default ?? null,
          choices: arg.choices ?? null,
          pattern: arg.pattern ?? null,
          min: arg.min ?? null,
          max: arg.max ?? null,
          max_length: arg.maxLength,
        },
      ]),
    ),
    network: script.network,
    timeout_seconds: script.timeoutSeconds,
    concurrency: script.concurrency,
  }));
}

function timeOr(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : rfc3339(at);
}
