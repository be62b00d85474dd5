// Recovers the jobs of a dead launcher: kills their surviving processes and records the jobs as
// failed with `recovered_after_crash`.
import { killTree } from '#main/runner/kill-tree.ts';
import { appendLogLine } from '#main/runner/log-file.ts';
import type { ProcessTree } from '#main/runner/process-tree.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';
import type { Clock } from '#shared/clock.ts';

export const RECOVERED = 'recovered_after_crash';

/** Short, because these scripts already lost their launcher. */
const GRACE_MS = 1000;

export interface RecoveryContext {
  readonly jobs: RunnerJobStore;
  readonly tree: ProcessTree;
  readonly logDir: string;
  readonly clock: Clock;
}

/** Whether the computer was restarted since the job was claimed. */
type Machine = 'same' | 'restarted' | 'unknown';

export async function recoverJobs(context: RecoveryContext, version: number): Promise<number> {
  const jobs = context.jobs.active();
  await Promise.all(jobs.map((job) => recoverJob(context, version, job)));
  return jobs.length;
}

async function recoverJob(
  context: RecoveryContext,
  version: number,
  job: RunnerJob,
): Promise<void> {
  const { jobs, tree, clock } = context;
  const machine = machineOf(job, tree);
  const end = machine === 'restarted' ? NOTHING_FOUND : await endSurvivors(context, job);
  const event = { type: 'fail', reason: RECOVERED, at: clock.now() } as const;
  jobs.end(
    job.id,
    version,
    event,
    { logBytes: logRecovery(context, job, end.found) },
    { machine, spawn: job.spawn, survivors: end.found, left: end.left.map(({ pid }) => pid) },
  );
}

const NOTHING_FOUND = { found: 0, left: [] };

async function endSurvivors(
  { tree, clock }: RecoveryContext,
  job: RunnerJob,
): Promise<{ found: number; left: readonly { pid: number }[] }> {
  const { pid, pidStarted } = job;
  tree.adopt(job.id, pid === null || pidStarted === null ? null : { pid, started: pidStarted });
  const end = await killTree(tree, job.id, GRACE_MS, clock);
  tree.untrack(job.id);
  return end;
}

function machineOf({ bootId }: RunnerJob, tree: ProcessTree): Machine {
  if (bootId === null || bootId === '' || tree.bootId === null) return 'unknown';
  return bootId === tree.bootId ? 'same' : 'restarted';
}

function logRecovery({ logDir }: RecoveryContext, job: RunnerJob, survivors: number): number {
  try {
    const ended =
      survivors === 0 ? '' : ` ${survivors} of its processes were still running and were stopped.`;
    return appendLogLine(logDir, job.id, `Holdfast stopped while this script ran.${ended}`);
  } catch {
    // Recovery must not fail because of the log.
    return 0;
  }
}
