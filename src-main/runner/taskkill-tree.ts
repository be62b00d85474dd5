// Finds the processes of a job on Windows: the leader and what `taskkill /T` finds below it. Without
// /F, taskkill only asks windows to close; console programs end with the second signal.
import { execFileSync } from 'node:child_process';
import type { JobProcess, ProcessTree } from '#main/runner/process-tree.ts';

export class TaskkillTree implements ProcessTree {
  readonly bootId = null;
  readonly #leaders = new Map<string, number>();

  /** Unknown without a slow query, so jobs of a former launcher are never killed. */
  startOf(): string | null {
    return null;
  }

  spawnInside<Result>(_jobId: string, start: () => Result): Result {
    return start();
  }

  track(jobId: string, pid: number): void {
    this.#leaders.set(jobId, pid);
  }

  adopt(): void {
    // Without a start time, the pid may have been reused.
  }

  scan(): void {
    // Nothing to remember: every query asks the system.
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
        // The process has exited, or has no window to close.
      }
    }
  }

  untrack(jobId: string): void {
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
