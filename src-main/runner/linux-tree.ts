// Who belongs to a job, on Linux. Its cgroup knows where there is one. Besides, each look at /proc
// remembers whom it found, so that a process stays found when its parent ends or it changes its
// session later.
import type { Cgroups } from '#main/runner/cgroups.ts';
import {
  allPids,
  bootId,
  environmentOf,
  statOf,
  type ProcessStat,
} from '#main/runner/proc-files.ts';
import { JOB_MARK, type JobProcess, type ProcessTree } from '#main/runner/process-tree.ts';

/** A pid seen to be a stranger's is not looked at again for so long: pids are not used again within
 * it, since that takes as many new processes as there are pids. */
const STRANGER_MS = 1000;

interface FollowedJob {
  /** Whose session is the job's. */
  leader: number | null;
  readonly found: Map<number, string>;
}

export class LinuxTree implements ProcessTree {
  readonly bootId = bootId();
  readonly #cgroups: Cgroups | null;
  readonly #jobs = new Map<string, FollowedJob>();
  readonly #strangers = new Map<number, number>();

  constructor(cgroups: Cgroups | null) {
    this.#cgroups = cgroups;
  }

  startOf(pid: number): string | null {
    return statOf(pid)?.started ?? null;
  }

  around<Result>(jobId: string, start: () => Result): Result {
    return this.#cgroups ? this.#cgroups.around(jobId, start) : start();
  }

  follow(jobId: string, pid: number): void {
    this.#jobs.set(jobId, { leader: pid, found: new Map() });
  }

  adopt(jobId: string, leader: JobProcess | null): void {
    // A leader that ended may have left its number to anybody: then only marks tell.
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
    this.look();
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
    // The group at once: one by one, it could fork faster than it is ended.
    if (leader !== null && leader !== undefined && members.some(({ pid }) => pid === leader)) {
      send(-leader, signal);
    }
    for (const member of members) if (this.isAlive(member)) send(member.pid, signal);
  }

  forget(jobId: string): void {
    this.#jobs.delete(jobId);
    this.#cgroups?.remove(jobId);
  }

  /** One look finds the processes of all jobs that are followed. */
  look(): void {
    const now = performance.now();
    const fresh = new Map<number, ProcessStat>();
    for (const pid of allPids()) {
      if ((this.#strangers.get(pid) ?? 0) > now) continue;
      const stat = statOf(pid);
      if (!stat || stat.isDead) continue;
      // Threads of the kernel have no session and no environment.
      if (stat.session === 0) this.#strangers.set(pid, now + STRANGER_MS);
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
    // Against circles, which a table that changes while it is read could hold.
    owners.set(stat.pid, null);
    const mark = environmentOf(stat.pid, JOB_MARK);
    const parent = all.get(stat.parent);
    const owner =
      this.#foundBefore(stat) ??
      this.#ofSession(stat) ??
      (mark !== null && this.#jobs.has(mark) ? mark : null) ??
      (parent ? this.#ownerOf(parent, all, owners) : null);
    owners.set(stat.pid, owner);
    // One without an environment may be about to get one: it is looked at again.
    if (owner === null && mark !== null && mark === '') {
      this.#strangers.set(stat.pid, performance.now() + STRANGER_MS);
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
    // Gone meanwhile.
  }
}
