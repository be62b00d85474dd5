// Finds the processes of a job on Linux: by cgroup where there is one, and by scanning /proc. Scans
// remember what they found, so a process stays known after its parent ends or its session changes.
import type { Cgroups } from '#main/runner/cgroups.ts';
import {
  allPids,
  bootId,
  environmentOf,
  statOf,
  type ProcessStat,
} from '#main/runner/proc-files.ts';
import { JOB_MARK, type JobProcess, type ProcessTree } from '#main/runner/process-tree.ts';

/**
 * A process that belongs to no job is skipped for this long. Its pid can't be reused within it, since
 * that takes as many new processes as there are pids.
 */
const UNRELATED_MS = 1000;

interface TrackedJob {
  /** The session leader of the job. */
  leader: number | null;
  readonly found: Map<number, string>;
}

export class LinuxTree implements ProcessTree {
  readonly bootId = bootId();
  readonly #cgroups: Cgroups | null;
  readonly #jobs = new Map<string, TrackedJob>();
  readonly #unrelated = new Map<number, number>();

  constructor(cgroups: Cgroups | null) {
    this.#cgroups = cgroups;
  }

  startOf(pid: number): string | null {
    return statOf(pid)?.started ?? null;
  }

  spawnInside<Result>(jobId: string, start: () => Result): Result {
    return this.#cgroups ? this.#cgroups.runInside(jobId, start) : start();
  }

  track(jobId: string, pid: number): void {
    this.#jobs.set(jobId, { leader: pid, found: new Map() });
  }

  adopt(jobId: string, leader: JobProcess | null): void {
    // The pid of a dead leader may have been reused; then only the environment mark identifies members.
    const isSame = leader !== null && this.isAlive(leader);
    this.#jobs.set(jobId, { leader: isSame ? leader.pid : null, found: new Map() });
  }

  membersOf(jobId: string): JobProcess[] {
    const job = this.#jobs.get(jobId);
    if (!job) return [];
    for (const pid of this.#cgroups?.pids(jobId) ?? []) {
      const started = this.startOf(pid);
      if (started !== null) job.found.set(pid, started);
    }
    this.scan();
    const members = [...job.found].map(([pid, started]) => ({ pid, started }));
    const alive = members.filter((member) => this.isAlive(member));
    job.found.clear();
    for (const { pid, started } of alive) job.found.set(pid, started);
    return alive;
  }

  isAlive({ pid, started }: JobProcess): boolean {
    const stat = statOf(pid);
    return stat !== null && !stat.isDead && stat.started === started;
  }

  signal(jobId: string, members: readonly JobProcess[], signal: 'SIGTERM' | 'SIGKILL'): void {
    if (signal === 'SIGKILL') this.#cgroups?.killAll(jobId);
    const leader = this.#jobs.get(jobId)?.leader;
    // Signals the whole group in one call, because it could fork faster than single signals.
    if (leader !== null && leader !== undefined && members.some(({ pid }) => pid === leader)) {
      send(-leader, signal);
    }
    for (const member of members) if (this.isAlive(member)) send(member.pid, signal);
  }

  untrack(jobId: string): void {
    this.#jobs.delete(jobId);
    this.#cgroups?.remove(jobId);
  }

  /** One scan finds the processes of all tracked jobs. */
  scan(): void {
    const now = performance.now();
    const fresh = new Map<number, ProcessStat>();
    for (const pid of allPids()) {
      if ((this.#unrelated.get(pid) ?? 0) > now) continue;
      const stat = statOf(pid);
      if (!stat || stat.isDead) continue;
      // Kernel threads have no session and no environment.
      if (stat.session === 0) this.#unrelated.set(pid, now + UNRELATED_MS);
      else fresh.set(pid, stat);
    }
    const owners = new Map<number, string | null>();
    for (const stat of fresh.values()) {
      const jobId = this.#ownerOf(stat, fresh, owners);
      if (jobId !== null) this.#jobs.get(jobId)?.found.set(stat.pid, stat.started);
    }
  }

  #ownerOf(
    stat: ProcessStat,
    all: ReadonlyMap<number, ProcessStat>,
    owners: Map<number, string | null>,
  ): string | null {
    const known = owners.get(stat.pid);
    if (known !== undefined) return known;
    // Guards against cycles: the process table changes while it is read.
    owners.set(stat.pid, null);
    const mark = environmentOf(stat.pid, JOB_MARK);
    const parent = all.get(stat.parent);
    const owner =
      this.#foundBefore(stat) ??
      this.#ofSession(stat) ??
      (mark !== null && this.#jobs.has(mark) ? mark : null) ??
      (parent ? this.#ownerOf(parent, all, owners) : null);
    owners.set(stat.pid, owner);
    // A process without an environment may be starting, so the next scan checks it again.
    if (owner === null && mark !== null && mark === '') {
      this.#unrelated.set(stat.pid, performance.now() + UNRELATED_MS);
    }
    return owner;
  }

  #foundBefore({ pid, started }: ProcessStat): string | null {
    for (const [jobId, { found }] of this.#jobs) if (found.get(pid) === started) return jobId;
    return null;
  }

  #ofSession({ session }: ProcessStat): string | null {
    for (const [jobId, { leader }] of this.#jobs) if (leader === session) return jobId;
    return null;
  }
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited.
  }
}
