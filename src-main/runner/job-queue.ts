// What can be asked of the runner: queue a job, see it, cancel it, read its log. Nothing here starts
// a process.
import { assembleCommand } from '#main/runner/build-command.ts';
import { logPath } from '#main/runner/log-file.ts';
import { readLogPart, type LogPart } from '#main/runner/log-reader.ts';
import { isRefusal, refuse, type Refusal } from '#main/runner/refusal.ts';
import type { RegistryFile } from '#main/runner/registry-file.ts';
import type { Database } from '#main/store/sqlite/database.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';
import { sha256Hex } from '#shared/ids.ts';
import { canonicalJson, type JsonObject } from '#shared/json.ts';

/** Long enough for a short job to end. */
const RETRY_AFTER_SECONDS = 5;

export interface ServiceContext {
  readonly db: Database;
  readonly jobs: RunnerJobStore;
  readonly registry: RegistryFile;
  readonly logDir: string;
  readonly maxQueueSize: number;
  readonly maxQueuedPerUser: number;
  /** Tells the launcher, where there is one. */
  readonly onQueued: () => void;
  readonly onCancel: (jobId: string) => void;
}

export interface JobRequest {
  readonly requestedBy: string;
  readonly idempotencyKey: string | null;
  readonly repoKey: string;
  readonly scriptKey: string;
  readonly args: JsonObject;
  /** Shorter than the registry says, never longer. */
  readonly timeoutSeconds?: number | undefined;
}

export type Enqueued = { readonly type: 'created' | 'same'; readonly job: RunnerJob };

export class RunnerService {
  readonly #context: ServiceContext;

  constructor(context: ServiceContext) {
    this.#context = context;
  }

  get registry(): RegistryFile {
    return this.#context.registry;
  }

  get jobs(): RunnerJobStore {
    return this.#context.jobs;
  }

  /**
   * `isSpent`: whether a job that this key made before, and that has ended, does not count. The same
   * key gives the same job, ended or not, unless it is.
   */
  enqueue(
    request: JobRequest,
    isSpent: (job: RunnerJob) => boolean = () => false,
  ): Enqueued | Refusal {
    const { db } = this.#context;
    const enqueued = db.write(() => this.#enqueue(request, isSpent));
    if (enqueued.type === 'created') this.#context.onQueued();
    return enqueued;
  }

  get(jobId: string): RunnerJob | Refusal {
    return this.#context.jobs.get(jobId) ?? unknownJob(jobId);
  }

  /** Asked for twice, it is canceled once. */
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
        `This job is "${job.state.status}" already: there is nothing to cancel. It stays as it is.`,
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
    // Asked before the file is read: what is written between the two is then not taken for the end.
    const isFinal = 'finishedAt' in job.state;
    const part = await readLogPart(logPath(this.#context.logDir, jobId), { ...range, isFinal });
    return { ...part, isFinal };
  }

  /** Resolves when the job has ended, or with what it is when the signal is aborted. */
  whenEnded(jobId: string, signal: AbortSignal): Promise<RunnerJob> {
    const { db, jobs } = this.#context;
    return new Promise((resolve) => {
      const look = (): void => {
        const job = jobs.get(jobId) as RunnerJob;
        if (!signal.aborted && !('finishedAt' in job.state)) return;
        unsubscribe();
        signal.removeEventListener('abort', look);
        resolve(job);
      };
      const unsubscribe = db.changes.subscribe((changes) => {
        if (changes.get('runner_jobs')?.has(jobId)) look();
      });
      signal.addEventListener('abort', look);
      look();
    });
  }

  #enqueue(request: JobRequest, isSpent: (job: RunnerJob) => boolean): Enqueued | Refusal {
    const { jobs } = this.#context;
    const payloadHash = hashOf(request);
    const known =
      request.idempotencyKey === null
        ? undefined
        : jobs.ofKey(request.requestedBy, request.idempotencyKey);
    if (known && !('finishedAt' in known.state && isSpent(known))) {
      return known.payloadHash === payloadHash ? { type: 'same', job: known } : keyUsed(known);
    }
    const registry = this.#context.registry.require();
    if (isRefusal(registry)) return registry;
    const command = assembleCommand(registry, request);
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
        `${whose} ${limit} jobs waiting already, which is the limit. Nothing was queued. Try again in some seconds.`,
      ),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
    if (jobs.queuedCount() >= maxQueueSize) return full('There are', maxQueueSize);
    return jobs.queuedCount(requestedBy) >= maxQueuedPerUser
      ? full(`"${requestedBy}" has`, maxQueuedPerUser)
      : null;
  }
}

/** Of what was asked for, whatever the order of its keys; not of how the registry reads it today. */
function hashOf({ repoKey, scriptKey, args, timeoutSeconds }: JobRequest): string {
  return sha256Hex(canonicalJson({ repoKey, scriptKey, args, timeout: timeoutSeconds ?? null }));
}

function keyUsed(job: RunnerJob): Refusal {
  return refuse(
    409,
    'key_used',
    `This Idempotency-Key has made the job ${job.id} already, with another body. It was kept, nothing else was queued. Use a new key.`,
  );
}

function unknownJob(jobId: string): Refusal {
  return refuse(404, 'unknown_job', `There is no job with the id "${jobId.slice(0, 80)}".`);
}
