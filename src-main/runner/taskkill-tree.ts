// Who belongs to a job, on Windows: the leader, and what `taskkill /T` finds below it. A console
// program cannot be asked to end there, so the first signal asks its window, if it has one.
import { execFileSync } from 'node:child_process';
import type { JobProcess, ProcessTree } from '#main/runner/process-tree.ts';

export class TaskkillTree implements ProcessTree {
  readonly bootId = null;
  readonly #leaders = new Map<string, number>();

  /** There is no cheap way to ask; a job of a former launcher is therefore never touched. */
  startOf(): string | null {
    return null;
  }

  around<Result>(_jobId: string, start: () => Result): Result {
    return start();
  }

  follow(jobId: string, pid: number): void {
    this.#leaders.set(jobId, pid);
  }

  adopt(): void {
    // Without a start time the number may be anybody's.
  }

  look(): void {
    // Nothing is remembered here.
  }

  membersOf(jobId: string): JobProcess[] {
    const pid = this.#leaders.get(jobId);
    return pid !== undefined && exists(pid) ? [{ pid, started: '' }] : [];
  }

  isAlive({ pid }: JobProcess): boolean {
    return exists(pid);
  }

  signal(_jobId: string, members: readonly JobProcess[], signal: 'SIGTERM' | 'SIGKILL'): void {
    for (const { pid } of members) {
      const force = signal === 'SIGKILL' ? ['/F'] : [];
      try {
        execFileSync('taskkill', ['/PID', String(pid), '/T', ...force], { stdio: 'ignore' });
      } catch {
        // Gone meanwhile, or it cannot be asked.
      }
    }
  }

  forget(jobId: string): void {
    this.#leaders.delete(jobId);
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
