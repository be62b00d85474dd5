// The interface to the processes of a job, with one implementation per platform:
//
// - Linux with RUNNER_CGROUPS=true and a writable cgroup: finds every process of the job.
// - Linux without cgroups: finds its session, processes with its mark in their environment, and their
//   descendants. Misses a process that left the session and cleared its environment, if its parent
//   ended before the next scan.
// - Other Unix systems: the process group, and descendants of the leader while it lives.
// - Windows: the leader and its descendants (`taskkill /T`).

/** Environment variable of every process of a job. */
export const JOB_MARK = 'HOLDFAST_RUNNER_JOB';

export interface JobProcess {
  readonly pid: number;
  /** Start time in the platform's format. With the pid it identifies a process uniquely. */
  readonly started: string;
}

export interface ProcessTree {
  /** Changes with every boot; null where the platform has none. */
  readonly bootId: string | null;
  startOf(pid: number): string | null;
  /** Calls `start` so that the process it spawns belongs to the job. */
  spawnInside<Result>(jobId: string, start: () => Result): Result;
  /** Tracks a job that this launcher started with this process. */
  track(jobId: string, pid: number): void;
  /** Tracks a job of a former launcher. `leader` is ignored when it is no longer the same process. */
  adopt(jobId: string, leader: JobProcess | null): void;
  /** Remembers the current processes, because they can't be attributed after their parent ends. */
  scan(): void;
  /** Scans and returns the processes that are alive. */
  membersOf(jobId: string): JobProcess[];
  isAlive(member: JobProcess): boolean;
  signal(jobId: string, members: readonly JobProcess[], signal: 'SIGTERM' | 'SIGKILL'): void;
  untrack(jobId: string): void;
}
