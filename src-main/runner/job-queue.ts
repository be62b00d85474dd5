// The queue of runner jobs: enqueue, get, cancel, read logs. Nothing here starts a process.
import { buildCommand } from '#main/runner/build-command.ts';
import { logPath } from '#main/runner/log-file.ts';
import { readLogPart, type LogPart } from '#main/runner/log-reader.ts';
import { isRefusal, refuse, type Refusal } from '#main/runner/refusal.ts';
import type { RegistryFile } from '#main/runner/registry-file.ts';
import type { Database } from '#main/store/sqlite/database.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';
import { sha256Hex } from '#shared/ids.ts';
import { canonicalJson, type JsonObject } from '#shared/json.ts';

/** A short job ends within this time. */
const RETRY_AFTER_SECONDS = 5;

export interface JobQueueContext {
  readonly db: Database;
  readonly jobs: RunnerJobStore;
  readonly registry: RegistryFile;
  readonly logDir: string;
  readonly maxQueueSize: number;
  readonly maxQueuedPerUser: number;
  /** Notify the launcher, if there is one. */
  readonly onQueued: () => void;
  readonly onCancel: (jobId: string) => void;
}

export interface JobRequest {
  readonly requestedBy: string;
  readonly idempotencyKey: string | null;
  readonly repoKey: string;
  readonly scriptKey: string;
  readonly args: JsonObject;
  /** Can only shorten the timeout of the registry. */
  readonly timeoutSeconds?: number | undefined;
}

export type Enqueued = { readonly type: 'created' | 'same'; readonly job: RunnerJob };

export class JobQueue {
  readonly #context: JobQueueContext;

  constructor(context: JobQueueContext) {
    this.#context = context;
  }

  get registry(): RegistryFile {
    return this.#context.registry;
  }

  get jobs(): RunnerJobStore {
    return this.#context.jobs;
  }

  /**
   * A known key returns its job. `mayReplace` can allow a new job in place of one that has ended.
   */
  enqueue(
    request: JobRequest,
    mayReplace: (job: RunnerJob) => boolean = () => false,
  ): Enqueued | Refusal {
    const { db } = this.#context;
    const enqueued = db.write(() => this.#enqueue(request, mayReplace));
    if (enqueued.type === 'created') this.#context.onQueued();
    return enqueued;
  }

  get(jobId: string): RunnerJob | Refusal {
    return this.#context.jobs.get(jobId) ?? unknownJob(jobId);
  }

  /** Idempotent. */
  cancel(jobId: string): RunnerJob | Refusal {
    const { jobs, onCancel } = this.#context;
    const job = jobs.get(jobId);
    if (!job) return unknownJob(jobId);
    if (job.state.status === 'cancel_requested') return job;
    const moved = jobs.requestCancel(jobId);
    if (moved.type !== 'moved') {
      return refuse(
        409,
        'job_ended',
        `This job is already "${job.state.status}", so there is nothing to cancel. Nothing was changed.`,
      );
    }
    onCancel(jobId);
    return jobs.get(jobId) as RunnerJob;
  }

  async readLog(
    jobId: string,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<(LogPart & { readonly isFinal: boolean }) | Refusal> {
    const job = this.get(jobId);
    if (isRefusal(job)) return job;
    // Read before the file, so that output written in between is not missed.
    const isFinal = 'finishedAt' in job.state;
    const part = await readLogPart(logPath(this.#context.logDir, jobId), { ...range, isFinal });
    return { ...part, isFinal };
  }

  /** Resolves when the job has ended, or with its current state when the signal aborts. */
  whenEnded(jobId: string, signal: AbortSignal): Promise<RunnerJob> {
    const { db, jobs } = this.#context;
    return new Promise((resolve) => {
      const check = (): void => {
        const job = jobs.get(jobId) as RunnerJob;
        if (!signal.aborted && !('finishedAt' in job.state)) return;
        unsubscribe();
        signal.removeEventListener('abort', check);
        resolve(job);
      };
      const unsubscribe = db.changes.subscribe((changes) => {
        if (changes.get('runner_jobs')?.has(jobId)) check();
      });
      signal.addEventListener('abort', check);
      check();
    });
  }

  #enqueue(request: JobRequest, mayReplace: (job: RunnerJob) => boolean): Enqueued | Refusal {
    const { jobs } = this.#context;
    const payloadHash = hashOf(request);
    const known =
      request.idempotencyKey === null
        ? undefined
        : jobs.ofKey(request.requestedBy, request.idempotencyKey);
    if (known && !('finishedAt' in known.state && mayReplace(known))) {
      return known.payloadHash === payloadHash ? { type: 'same', job: known } : keyUsed(known);
    }
    const registry = this.#context.registry.require();
    if (isRefusal(registry)) return registry;
    const command = buildCommand(registry, request);
    if (isRefusal(command)) return command;
    const full = this.#fullQueue(request.requestedBy);
    if (full) return full;
    const seconds = Math.min(request.timeoutSeconds ?? Infinity, command.script.timeoutSeconds);
    const { requestedBy, idempotencyKey, repoKey, scriptKey, args } = request;
    const job = jobs.create({
      requestedBy,
      idempotencyKey,
      payloadHash,
      repoKey,
      scriptKey,
      args,
      timeoutMs: Math.max(1, Math.round(seconds * 1000)),
    });
    return { type: 'created', job };
  }

  #fullQueue(requestedBy: string): Refusal | null {
    const { jobs, maxQueueSize, maxQueuedPerUser } = this.#context;
    const full = (whose: string, limit: number): Refusal => ({
      ...refuse(
        429,
        'queue_full',
        `${whose} ${limit} queued jobs, which is the limit. Nothing was queued. Try again in a few seconds.`,
      ),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    if (jobs.queuedCount() >= maxQueueSize) return full('There are', maxQueueSize);
    return jobs.queuedCount(requestedBy) >= maxQueuedPerUser
      ? full(`"${requestedBy}" has`, maxQueuedPerUser)
      : null;
  }
}

/** Hash of the request, independent of key order and of the registry. */
function hashOf({ repoKey, scriptKey, args, timeoutSeconds }: JobRequest): string {
  return sha256Hex(canonicalJson({ repoKey, scriptKey, args, timeout: timeoutSeconds ?? null }));
}

function keyUsed(job: RunnerJob): Refusal {
  return refuse(
    409,
    'key_used',
    `This Idempotency-Key belongs to the job ${job.id}, which has another body. Nothing was queued. Use a new key.`,
  );
}

function unknownJob(jobId: string): Refusal {
  return refuse(
    404,
    'unknown_job',
    `There is no job with the id "${jobId.slice(0, 80)}". Nothing was changed.`,
  );
}
