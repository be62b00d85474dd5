// Decides from the record of an ended job whether its script ran.
import { RECOVERED } from '#main/runner/recovery.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import type { RunnerJobEvent } from '#main/store/tables/runner-jobs.ts';

export type Verdict =
  | { readonly type: 'ran' }
  | { readonly type: 'never_ran'; readonly why: string }
  | { readonly type: 'unknown'; readonly error: string };

export function verdictOf(job: RunnerJob, events: readonly RunnerJobEvent[]): Verdict {
  const reason = 'reason' in job.state ? job.state.reason : undefined;
  if (reason === RECOVERED) return afterCrash(job, events);
  if (job.spawn === 'done') return { type: 'ran' };
  return { type: 'never_ran', why: whyNot(job, events) };
}

/** The launcher's record before a start survives a crash of the host, but maybe not of the computer. */
function afterCrash(job: RunnerJob, events: readonly RunnerJobEvent[]): Verdict {
  const found = events.findLast(({ type }) => type === RECOVERED)?.detail as
    | { readonly machine?: string; readonly survivors?: number }
    | undefined;
  if (found?.machine !== 'same') {
    return unknown('The computer stopped while the script may have been running or starting.');
  }
  if (job.spawn === 'done' || (found.survivors ?? 0) > 0) return { type: 'ran' };
  if (job.spawn === null)
    return { type: 'never_ran', why: 'Holdfast stopped before the script started.' };
  return unknown('Holdfast stopped while it was starting the script.');
}

function whyNot(job: RunnerJob, events: readonly RunnerJobEvent[]): string {
  if (job.state.status === 'canceled') return 'The job was canceled before the script started.';
  const { message } = (events.at(-1)?.detail ?? {}) as { readonly message?: string };
  return message ?? 'The script could not be started.';
}

function unknown(error: string): Verdict {
  return { type: 'unknown', error };
}
