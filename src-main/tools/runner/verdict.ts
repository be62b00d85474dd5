// What the record of an ended job proves: that its script ran, that it never did, or neither.
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

/** What a launcher writes before it starts a process survives the host, but not always the machine. */
function afterCrash(job: RunnerJob, events: readonly RunnerJobEvent[]): Verdict {
  const found = events.findLast(({ type }) => type === RECOVERED)?.detail as
    | { readonly machine?: string; readonly survivors?: number }
    | undefined;
  if (found?.machine !== 'same') {
    return unknown('This machine stopped while the script may have run, or was about to.');
  }
  if (job.spawn === 'done' || (found.survivors ?? 0) > 0) return { type: 'ran' };
  if (job.spawn === null) return { type: 'never_ran', why: 'Holdfast stopped before it began.' };
  return unknown('Holdfast stopped in the very moment in which it started the script.');
}

function whyNot(job: RunnerJob, events: readonly RunnerJobEvent[]): string {
  if (job.state.status === 'canceled') return 'It was canceled before it began.';
  const { message } = (events.at(-1)?.detail ?? {}) as { readonly message?: string };
  return message ?? 'It could not be started.';
}

function unknown(error: string): Verdict {
  return { type: 'unknown', error };
}
