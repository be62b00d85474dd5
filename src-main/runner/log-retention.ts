// Deletes the oldest logs of finished jobs when all logs together exceed the limit, and records that
// in their jobs.
import { rmSync } from 'node:fs';
import { logPath } from '#main/runner/log-file.ts';
import type { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';

const MAX_PER_JOB = 20;

export class LogRetention {
  readonly #jobs: RunnerJobStore;
  readonly #logDir: string;
  readonly #maxBytes: number;
  /** Summed once and then updated, so that the cost per job doesn't grow with their number. */
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
    for (const job of this.#jobs.withLog(MAX_PER_JOB)) {
      if (this.#total <= this.#maxBytes) return;
      rmSync(logPath(this.#logDir, job.id), { force: true });
      this.#jobs.logRemoved(job.id);
      this.#total -= job.logBytes;
    }
  }
}
