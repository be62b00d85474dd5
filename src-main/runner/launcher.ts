// Claims and runs queued jobs while it holds the launcher lock. Its writes carry the version of the
// lock, so they have no effect after another launcher has taken it.
import type { Logger } from 'pino';
import { Execution, type ExecutorContext } from '#main/runner/executor.ts';
import { LogRetention } from '#main/runner/log-retention.ts';
import { recoverJobs } from '#main/runner/recovery.ts';
import type { Database } from '#main/store/sqlite/database.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { LauncherLock, RunnerLauncherStore } from '#main/store/tables/runner-launcher.ts';
import { own } from '#shared/json.ts';

const HEARTBEAT_MS = 10_000;
/** A holder without a heartbeat for this long is considered dead, unless its process is known. */
const LEASE_MS = 3 * HEARTBEAT_MS;
/** How often processes are scanned while jobs run. */
const SCAN_MS = 1000;

export interface LauncherContext extends ExecutorContext {
  readonly db: Database;
  readonly lock: RunnerLauncherStore;
  readonly concurrency: number;
  readonly maxLogDirBytes: number;
  /** Unique id of this launcher. */
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
  #recovery: Promise<void> = Promise.resolve();
  #isStopping = false;
  #cancelHeartbeat: () => void = () => undefined;
  #cancelScan: (() => void) | undefined;

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
    this.#heartbeat();
  }

  /** Call when a job was queued or a slot is free. */
  wake(): void {
    if (!this.isHolding) return;
    if (this.#isClaiming) {
      // The running claim may have read the queue before this call.
      this.#claimsAgain = true;
      return;
    }
    this.#isClaiming = true;
    // In another turn, because a durable write can't be part of the caller's write.
    this.#claiming = new Promise((done) => {
      setImmediate(() => void this.#claimAll().finally(done));
    });
  }

  cancel(jobId: string): void {
    this.#running.get(jobId)?.end('cancel');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelHeartbeat();
    await this.#recovery;
    await this.#claiming;
    for (const execution of this.#running.values()) execution.end('stop');
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#cancelScan?.();
    if (this.#version !== undefined) this.#context.lock.release(this.#version);
  }

  #heartbeat(): void {
    if (this.#isStopping) return;
    const { clock } = this.#context;
    try {
      if (this.#version === undefined) this.#acquire();
      else if (!this.#context.lock.heartbeat(this.#version)) this.#lost();
    } catch (error) {
      // The disk is full or the database busy. The next heartbeat comes well before the lease ends.
      this.#log.warn({ err: error }, 'could not write the launcher lock');
    }
    this.#cancelHeartbeat = clock.wakeAt(clock.now() + HEARTBEAT_MS, () => this.#heartbeat());
  }

  #acquire(): void {
    const { lock, tree, owner } = this.#context;
    const { pid } = process;
    const self = { owner, bootId: tree.bootId ?? '', pid, pidStarted: tree.startOf(pid) };
    const version = lock.acquire(self, (holder) => this.#isGone(holder));
    if (version === undefined) return;
    this.#recovery = recoverJobs(this.#context, version)
      .then((recovered) => {
        if (recovered > 0) this.#log.warn({ recovered }, 'ended jobs of a dead launcher');
        this.#version = version;
        this.wake();
      })
      .catch((error: unknown) => this.#log.error({ err: error }, 'could not recover jobs'));
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
    this.#log.error('another launcher took the lock; ending the jobs of this one');
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
      this.#log.error({ err: error }, 'could not claim jobs');
    } finally {
      this.#isClaiming = false;
      if (this.#claimsAgain) {
        this.#claimsAgain = false;
        this.wake();
      }
    }
  }

  /** Fsynced before any process starts: after a power cut, a job that ran is recorded as claimed. */
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
      this.#log.error({ err: error }, 'could not fsync claimed jobs');
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

  #scheduleScan(): () => void {
    const { clock, tree } = this.#context;
    return clock.wakeAt(clock.now() + SCAN_MS, () => {
      this.#cancelScan = undefined;
      if (this.#running.size === 0) return;
      tree.scan();
      this.#cancelScan = this.#scheduleScan();
    });
  }

  #hasRoom(): boolean {
    return this.#running.size < this.#context.concurrency;
  }

  #run(claimed: RunnerJob): void {
    const execution = new Execution(this.#context, claimed, this.#version ?? 0);
    this.#running.set(claimed.id, execution);
    this.#cancelScan ??= this.#scheduleScan();
    // It may have been canceled, or the launcher stopped, since the claim.
    if (this.#context.jobs.get(claimed.id)?.state.status === 'cancel_requested') {
      execution.end('cancel');
    }
    if (!this.isHolding) execution.end('stop');
    execution.done
      .then(() => {
        this.#running.delete(claimed.id);
        this.wake();
        this.#retention.ended(claimed.id);
      })
      .catch((error: unknown) =>
        this.#log.error({ err: error, jobId: claimed.id }, 'could not clean up after a job'),
      );
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
