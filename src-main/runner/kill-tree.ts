// Ends all processes of a job: asks, waits, makes sure, and says who would not go.
import type { JobProcess, ProcessTree } from '#main/runner/process-tree.ts';
import type { Clock } from '#shared/clock.ts';

const FIRST_LOOK_MS = 10;
const LONGEST_LOOK_MS = 100;
/** What SIGKILL has not ended by then waits for a device that does not answer. */
const KILL_DEADLINE_MS = 5000;

export interface TreeEnd {
  /** How many were asked to end. */
  readonly found: number;
  readonly killed: boolean;
  /** Those that are still there. */
  readonly left: readonly JobProcess[];
}

export async function endTree(
  tree: ProcessTree,
  jobId: string,
  graceMs: number,
  clock: Clock,
): Promise<TreeEnd> {
  const asked = tree.membersOf(jobId);
  if (asked.length === 0) return { found: 0, killed: false, left: [] };
  tree.signal(jobId, asked, 'SIGTERM');
  const stubborn = await untilGone(tree, jobId, asked, graceMs, clock);
  if (stubborn.length === 0) return { found: asked.length, killed: false, left: [] };
  const deadline = clock.now() + KILL_DEADLINE_MS;
  let left = stubborn;
  // Again and again: what was found may have made others meanwhile.
  while (left.length > 0 && clock.now() < deadline) {
    tree.signal(jobId, left, 'SIGKILL');
    left = await untilGone(tree, jobId, left, LONGEST_LOOK_MS, clock);
  }
  return { found: Math.max(asked.length, stubborn.length), killed: true, left };
}

/** Those that live when the time is over; looks for others only when the known are gone. */
async function untilGone(
  tree: ProcessTree,
  jobId: string,
  members: readonly JobProcess[],
  ms: number,
  clock: Clock,
): Promise<JobProcess[]> {
  const deadline = clock.now() + ms;
  let pause = FIRST_LOOK_MS;
  for (;;) {
    if (!members.some((member) => tree.isAlive(member))) {
      const others = tree.membersOf(jobId);
      if (others.length === 0 || clock.now() >= deadline) return others;
    } else if (clock.now() >= deadline) return tree.membersOf(jobId);
    await clock.sleep(pause);
    pause = Math.min(pause * 2, LONGEST_LOOK_MS);
  }
}
