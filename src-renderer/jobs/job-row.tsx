import type { RunnerJobView } from '#shared/api/runner.ts';
import { RowLink } from '#renderer/lists/row-link.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { JobChip } from '#renderer/ui/display/status-chip.tsx';
import { RelativeTime, RunDuration } from '#renderer/ui/display/time.tsx';

export const JOB_ROW_HEIGHT = { wide: 44, narrow: 68 } as const;
export const JOB_GRID =
  'lg:grid-cols-[8.5rem_minmax(0,3fr)_minmax(0,1fr)_minmax(0,1fr)_6.5rem_5rem]';

export function JobRow({ job }: { readonly job: RunnerJobView }) {
  return (
    <div
      role="presentation"
      className={`grid h-full grid-cols-[minmax(0,1fr)_auto] content-center items-center gap-x-4 gap-y-1 px-4 ${JOB_GRID}`}
    >
      <span role="cell" className="flex max-lg:col-start-2 max-lg:row-start-1 max-lg:justify-end">
        <JobChip status={job.status} />
      </span>
      <span role="cell" className="min-w-0 max-lg:col-start-1 max-lg:row-start-1">
        <RowLink to={href.job(job.id)}>{job.scriptKey}</RowLink>
      </span>
      {/* One line below the script on narrow screens. */}
      <div
        role="presentation"
        className="flex min-w-0 gap-x-3 text-muted max-lg:row-start-2 max-lg:text-[0.8125rem] lg:contents"
      >
        <span role="cell" className="min-w-0 truncate">
          {job.repoKey}
        </span>
        <span role="cell" className="min-w-0 truncate">
          {text.runScript.asker(job.requestedBy)}
        </span>
        <span role="cell" className="relative lg:justify-self-start">
          <RelativeTime at={job.createdAt} />
        </span>
        <span role="cell" className="tabular max-sm:hidden lg:text-right">
          {job.startedAt === null ? '–' : <RunDuration from={job.startedAt} to={job.finishedAt} />}
        </span>
      </div>
    </div>
  );
}
