// One cgroup per job, where this process may create them. Processes can't leave a cgroup, so all
// processes of a job are found. Created below the host's cgroup, without controllers.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'holdfast-job-';

export interface Cgroups {
  /** Every process that `start` spawns is in the cgroup of the job from its first instruction. */
  runInside<Result>(jobId: string, start: () => Result): Result;
  pids(jobId: string): number[];
  killAll(jobId: string): void;
  remove(jobId: string): void;
}

/** Null without cgroup v2 or without write access to the host's cgroup. */
export function createCgroups(): Cgroups | null {
  const home = ownCgroup();
  if (home === null || !canCreate(home)) return null;
  const folderOf = (jobId: string): string => join(home, `${PREFIX}${jobId}`);
  let isStuck = false;
  const enter = (folder: string): boolean =>
    succeeds(() => writeFileSync(join(folder, 'cgroup.procs'), String(process.pid)));
  return {
    // A process starts in its parent's cgroup, and could fork before it is moved. So the host moves
    // itself in and out, synchronously.
    runInside: (jobId, start) => {
      const folder = folderOf(jobId);
      const isIn =
        !isStuck && succeeds(() => mkdirSync(folder, { recursive: true })) && enter(folder);
      try {
        return start();
      } finally {
        if (isIn) isStuck = !enter(home);
      }
    },
    pids: (jobId) => pidsIn(folderOf(jobId)).filter((pid) => pid !== process.pid),
    killAll: (jobId) => {
      // Never kills the host, in case it could not move back.
      if (isStuck || pidsIn(folderOf(jobId)).includes(process.pid)) return;
      succeeds(() => writeFileSync(join(folderOf(jobId), 'cgroup.kill'), '1'));
    },
    remove: (jobId) => void succeeds(() => rmdirSync(folderOf(jobId))),
  };
}

function ownCgroup(): string | null {
  try {
    const mounted = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => line.split(' - '))
      .find(([, right]) => right?.startsWith('cgroup2 '));
    const place = mounted?.[0]?.split(' ')[4];
    const path = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
    return place === undefined || path === undefined ? null : join(place, path);
  } catch {
    return null;
  }
}

function canCreate(home: string): boolean {
  const trial = join(home, `holdfast-trial-${process.pid}`);
  return succeeds(() => {
    mkdirSync(trial);
    rmdirSync(trial);
  });
}

function pidsIn(folder: string): number[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}

function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
