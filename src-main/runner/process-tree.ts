// The processes of a job, on whatever system: one interface, so that only these files know how a
// system tells who belongs to whom.
//
// What each finds, and what it does not:
// - Linux with RUNNER_CGROUPS=true and a cgroup that we may write to: every process that the job
//   made, whatever it did.
// - Linux without: those in its session, those that carry its mark in their environment, and
//   what descends from them. Not found: a process that left the session and cleared its environment
//   and whose parent had ended before anybody looked.
// - Other Unix systems: the process group and what descends from the leader while it lives.
// - Windows: the leader and what descends from it (`taskkill /T`).
/** In the environment of every process of a job. */
export const JOB_MARK = 'HOLDFAST_RUNNER_JOB';

export interface JobProcess {
  readonly pid: number;
  /** When it was started, in the words of the system: with the pid it names one process for good. */
  readonly started: string;
}

export interface ProcessTree {
  /** Differs after each start of the machine; null where the system does not tell. */
  readonly bootId: string | null;
  startOf(pid: number): string | null;
  /** Starts a process in a way that it can be followed. */
  around<Result>(jobId: string, start: () => Result): Result;
  /** A job of this launcher has begun with this process. */
  follow(jobId: string, pid: number): void;
  /** A job of a former launcher: its leader, if it is still that very process. */
  adopt(jobId: string, leader: JobProcess | null): void;
  /** Remembers who is there now: later its parent may be gone, and nothing tell whose it is. */
  look(): void;
  /** Those that live, found anew. */
  membersOf(jobId: string): JobProcess[];
  isAlive(member: JobProcess): boolean;
  signal(jobId: string, members: readonly JobProcess[], signal: 'SIGTERM' | 'SIGKILL'): void;
  forget(jobId: string): void;
}
