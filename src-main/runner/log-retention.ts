// Rotation: the logs of ended jobs together stay within a limit; beyond it the oldest go, and their
// jobs say so.
import { rmSync } from 'node:fs';
import { logPath } from '#main/runner/log-file.ts';
import type { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';

const AT_ONCE = 20;

export class LogRetention {
  readonly #jobs: RunnerJobStore;
  readonly #logDir: string;
  readonly #maxBytes: number;
  /** Counted once, then kept: a job must not cost more the more there were before it. */
  #total: number | undefined;

  constructor(jobs: RunnerJobStore, logDir: string, maxBytes: number) {
    this.#jobs = jobs;
    this.#logDir = logDir;
    this.#maxBytes = maxBytes;
  }

  ended(jobId: string): void {
    if (this.#total === undefined) this.#total = this.#jobs.logTotal();
    else this.#total += this.#jobs.get(jobId)?.logBytes ?? 0;
    if (this.#total <= this.#maxBytes) return;
    for (const job of this.#jobs.withLog(AT_ONCE)) {
      if (this.#total <= this.#maxBytes) return;
      rmSync(logPath(this.#logDir, job.id), { force: true });
      this.#jobs.logRemoved(job.id);
      this.#total -= job.logBytes;
    }
  }
}
