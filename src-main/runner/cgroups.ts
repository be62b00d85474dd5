// A cgroup for each job, where this process may make one: what is in it cannot leave it, so nothing
// of a job is ever missed. Made below the cgroup of the host, without controllers.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = 'holdfast-job-';

export interface Cgroups {
  /** What `start` starts is in the cgroup of the job from its first moment. */
  around<Result>(jobId: string, start: () => Result): Result;
  pids(jobId: string): number[];
  killAll(jobId: string): void;
  remove(jobId: string): void;
}

/** Null where there is no cgroup v2, or none that we may write to. */
export function createCgroups(): Cgroups | null {
  const home = ownCgroup();
  if (home === null || !canMake(home)) return null;
  const folderOf = (jobId: string): string => join(home, `${PREFIX}${jobId}`);
  let isStuck = false;
  const enter = (folder: string): boolean =>
    succeeds(() => writeFileSync(join(folder, 'cgroup.procs'), String(process.pid)));
  return {
    // A process begins where its parent is, and one that is moved afterwards may have forked before.
    // So the host itself goes in and comes back, within one turn.
    around: (jobId, start) => {
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
      // Never together with the host, should it not have come back.
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

function canMake(home: string): boolean {
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
