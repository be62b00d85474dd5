// Finds the processes of a job with `ps`: the process group and descendants of the leader. For Unix
// systems without /proc.
import { execFileSync } from 'node:child_process';
import type { JobProcess, ProcessTree } from '#main/runner/process-tree.ts';

interface Listed extends JobProcess {
  readonly parent: number;
  readonly group: number;
}

export class PsTree implements ProcessTree {
  readonly bootId = null;
  readonly #leaders = new Map<string, number>();

  startOf(pid: number): string | null {
    return list().find((one) => one.pid === pid)?.started ?? null;
  }

  spawnInside<Result>(_jobId: string, start: () => Result): Result {
    return start();
  }

  track(jobId: string, pid: number): void {
    this.#leaders.set(jobId, pid);
  }

  adopt(jobId: string, leader: JobProcess | null): void {
    if (leader !== null && this.isAlive(leader)) this.#leaders.set(jobId, leader.pid);
  }

  scan(): void {
    // Nothing to remember: every query asks the system.
  }

  membersOf(jobId: string): JobProcess[] {
    const leader = this.#leaders.get(jobId);
    if (leader === undefined) return [];
    const all = list();
    const members = new Set(all.filter(({ pid, group }) => pid === leader || group === leader));
    for (let before = -1; before !== members.size;) {
      before = members.size;
      const pids = new Set([...members].map(({ pid }) => pid));
      for (const one of all) if (pids.has(one.parent)) members.add(one);
    }
    return [...members];
  }

  isAlive({ pid, started }: JobProcess): boolean {
    return this.startOf(pid) === started;
  }

  signal(jobId: string, members: readonly JobProcess[], signal: 'SIGTERM' | 'SIGKILL'): void {
    const leader = this.#leaders.get(jobId);
    if (leader !== undefined && members.length > 0) send(-leader, signal);
    for (const { pid } of members) send(pid, signal);
  }

  untrack(jobId: string): void {
    this.#leaders.delete(jobId);
  }
}

function list(): Listed[] {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], {
    encoding: 'utf8',
    maxBuffer: 32 * 1024 * 1024,
    env: { ...process.env, LC_ALL: 'C' },
  });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, started] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined || started === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started }];
  });
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited.
  }
}
