// Kills all processes of a job: SIGTERM, a grace period, then SIGKILL. Returns the survivors.
import type { JobProcess, ProcessTree } from '#main/runner/process-tree.ts';
import type { Clock } from '#shared/clock.ts';

const FIRST_POLL_MS = 10;
const LONGEST_POLL_MS = 100;
/** A process that survives SIGKILL this long is blocked in the kernel, usually on a device. */
const KILL_DEADLINE_MS = 5000;

export interface KillResult {
  /** Number of processes that were signaled. */
  readonly found: number;
  readonly killed: boolean;
  /** Processes that are still alive. */
  readonly left: readonly JobProcess[];
}

export async function killTree(
  tree: ProcessTree,
  jobId: string,
  graceMs: number,
  clock: Clock,
): Promise<KillResult> {
  const asked = tree.membersOf(jobId);
  if (asked.length === 0) return { found: 0, killed: false, left: [] };
  tree.signal(jobId, asked, 'SIGTERM');
  const stubborn = await untilGone(tree, jobId, asked, graceMs, clock);
  if (stubborn.length === 0) return { found: asked.length, killed: false, left: [] };
  const deadline = clock.now() + KILL_DEADLINE_MS;
  let left = stubborn;
  // Repeated, because processes may have forked in between.
  while (left.length > 0 && clock.now() < deadline) {
    tree.signal(jobId, left, 'SIGKILL');
    left = await untilGone(tree, jobId, left, LONGEST_POLL_MS, clock);
  }
  return { found: Math.max(asked.length, stubborn.length), killed: true, left };
}

/** The processes alive after `ms`. Scans for new ones only after the known ones are gone. */
async function untilGone(
  tree: ProcessTree,
  jobId: string,
  members: readonly JobProcess[],
  ms: number,
  clock: Clock,
): Promise<JobProcess[]> {
  const deadline = clock.now() + ms;
  let pause = FIRST_POLL_MS;
  for (;;) {
    if (!members.some((member) => tree.isAlive(member))) {
      const others = tree.membersOf(jobId);
      if (others.length === 0 || clock.now() >= deadline) return others;
    } else if (clock.now() >= deadline) return tree.membersOf(jobId);
    await clock.sleep(pause);
    pause = Math.min(pause * 2, LONGEST_POLL_MS);
  }
}
