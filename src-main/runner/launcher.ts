// Holds the lock, claims what is queued, runs it. Whatever it writes carries its version: when
// another launcher has taken the lock, nothing that this one does counts any more.
import type { Logger } from 'pino';
import { Execution, type ExecutorContext } from '#main/runner/executor.ts';
import { LogRetention } from '#main/runner/log-retention.ts';
import { recoverJobs } from '#main/runner/recovery.ts';
import type { Database } from '#main/store/sqlite/database.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { LauncherLock, RunnerLauncherStore } from '#main/store/tables/runner-launcher.ts';
import { own } from '#shared/json.ts';

const HEARTBEAT_MS = 10_000;
/** A holder that was silent for so long, and of which nothing better is known, is gone. */
const LEASE_MS = 3 * HEARTBEAT_MS;
/** How often whoever runs is looked at while jobs run: what lives shorter leaves nothing behind. */
const LOOK_MS = 1000;

export interface LauncherContext extends ExecutorContext {
  readonly db: Database;
  readonly lock: RunnerLauncherStore;
  readonly concurrency: number;
  readonly maxLogDirBytes: number;
  /** Names this launcher among all that ever were. */
  readonly owner: string;
}

export class Launcher {
  readonly #context: LauncherContext;
  readonly #running = new Map<string, Execution>();
  readonly #log: Logger;
  readonly #retention: LogRetention;
  #version: number | undefined;
  #isClaiming = false;
  #claimsAgain = false;
  #claiming: Promise<void> = Promise.resolve();
  #isRecovering: Promise<void> = Promise.resolve();
  #isStopping = false;
  #callOff: () => void = () => undefined;
  #callOffLook: (() => void) | undefined;

  constructor(context: LauncherContext) {
    this.#context = context;
    this.#log = context.log;
    const { jobs, logDir, maxLogDirBytes } = context;
    this.#retention = new LogRetention(jobs, logDir, maxLogDirBytes);
  }

  get isHolding(): boolean {
    return this.#version !== undefined && !this.#isStopping;
  }

  start(): void {
    this.#beat();
  }

  /** Something was queued, or there is room again. */
  wake(): void {
    if (!this.isHolding) return;
    if (this.#isClaiming) {
      // What is being claimed was looked for before this.
      this.#claimsAgain = true;
      return;
    }
    this.#isClaiming = true;
    // In a turn of its own: a durable write cannot be part of another.
    this.#claiming = new Promise((done) => {
      setImmediate(() => void this.#claimAll().finally(done));
    });
  }

  cancel(jobId: string): void {
    this.#running.get(jobId)?.end('cancel');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#callOff();
    await this.#isRecovering;
    await this.#claiming;
    for (const execution of this.#running.values()) execution.end('stop');
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#callOffLook?.();
    if (this.#version !== undefined) this.#context.lock.release(this.#version);
  }

  #beat(): void {
    if (this.#isStopping) return;
    const { clock } = this.#context;
    try {
      if (this.#version === undefined) this.#acquire();
      else if (!this.#context.lock.heartbeat(this.#version)) this.#lost();
    } catch (error) {
      // A full disk, a busy file: the next beat tries again, well before the lease is over.
      this.#log.warn({ err: error }, 'the lock of the launcher could not be written');
    }
    this.#callOff = clock.wakeAt(clock.now() + HEARTBEAT_MS, () => this.#beat());
  }

  #acquire(): void {
    const { lock, tree, owner } = this.#context;
    const { pid } = process;
    const self = { owner, bootId: tree.bootId ?? '', pid, pidStarted: tree.startOf(pid) };
    const version = lock.acquire(self, (holder) => this.#isGone(holder));
    if (version === undefined) return;
    this.#isRecovering = recoverJobs(this.#context, version)
      .then((recovered) => {
        if (recovered > 0) this.#log.warn({ recovered }, 'jobs of a former launcher were ended');
        this.#version = version;
        this.wake();
      })
      .catch((error: unknown) => this.#log.error({ err: error }, 'the recovery of jobs failed'));
  }

  #isGone({ bootId, pid, pidStarted, heartbeatAt }: LauncherLock): boolean {
    const { tree, clock } = this.#context;
    if (tree.bootId !== null && bootId !== null && bootId !== '' && pid !== null) {
      if (bootId !== tree.bootId) return true;
      if (pidStarted !== null && tree.startOf(pid) !== pidStarted) return true;
    }
    return clock.now() - heartbeatAt > LEASE_MS;
  }

  #lost(): void {
    this.#log.error('another launcher has taken the lock; the jobs of this one are ended');
    this.#version = undefined;
    for (const execution of this.#running.values()) execution.end('stop');
  }

  async #claimAll(): Promise<void> {
    try {
      while (this.isHolding && this.#hasRoom() && this.#context.jobs.queuedCount() > 0) {
        const claimed = await this.#claim();
        if (claimed.length === 0) break;
        for (const job of claimed) this.#run(job);
      }
    } catch (error) {
      this.#log.error({ err: error }, 'jobs could not be claimed');
    } finally {
      this.#isClaiming = false;
      if (this.#claimsAgain) {
        this.#claimsAgain = false;
        this.wake();
      }
    }
  }

  /** On disk before anything starts: after a power cut a job that ran is known to have been begun. */
  async #claim(): Promise<RunnerJob[]> {
    const { db, jobs, tree, clock } = this.#context;
    const version = this.#version as number;
    const counts = new Map<string, number>();
    for (const { job } of this.#running.values()) count(counts, job.scriptKey);
    const { result, onDisk } = db.writeThenFsync(() => {
      const claimed: RunnerJob[] = [];
      while (this.#running.size + claimed.length < this.#context.concurrency) {
        const job = jobs.claim({ version, bootId: tree.bootId ?? '' }, this.#busy(counts));
        if (!job) break;
        claimed.push(job);
        count(counts, job.scriptKey);
      }
      return claimed;
    });
    try {
      await onDisk;
    } catch (error) {
      this.#log.error({ err: error }, 'the disk did not take what was claimed');
      const event = { type: 'fail', reason: 'could_not_start', at: clock.now() } as const;
      for (const { id } of result) jobs.end(id, version, event, {}, { message: 'disk' });
      return [];
    }
    return result;
  }

  #busy(counts: ReadonlyMap<string, number>): string[] {
    const scripts = this.#context.registry.read().registry?.scripts ?? {};
    return [...counts].flatMap(([key, running]) => {
      const limit = own(scripts, key)?.concurrency ?? Infinity;
      return running >= limit ? [key] : [];
    });
  }

  #lookLater(): () => void {
    const { clock, tree } = this.#context;
    return clock.wakeAt(clock.now() + LOOK_MS, () => {
      this.#callOffLook = undefined;
      if (this.#running.size === 0) return;
      tree.look();
      this.#callOffLook = this.#lookLater();
    });
  }

  #hasRoom(): boolean {
    return this.#running.size < this.#context.concurrency;
  }

  #run(claimed: RunnerJob): void {
    const execution = new Execution(this.#context, claimed, this.#version ?? 0);
    this.#running.set(claimed.id, execution);
    this.#callOffLook ??= this.#lookLater();
    // Between the claim and now it may have been canceled, or all may have been told to stop.
    if (this.#context.jobs.get(claimed.id)?.state.status === 'cancel_requested') {
      execution.end('cancel');
    }
    if (!this.isHolding) execution.end('stop');
    void execution.done.then(() => {
      this.#running.delete(claimed.id);
      this.#retention.ended(claimed.id);
      this.wake();
    });
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
