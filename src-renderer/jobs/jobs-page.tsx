import { SquareTerminal } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { JOB_GRID, JOB_ROW_HEIGHT, JobRow } from '#renderer/jobs/job-row.tsx';
import { RunnerNotice } from '#renderer/jobs/runner-notice.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { EmptyList } from '#renderer/lists/empty-list.tsx';
import { href, type JobFilter } from '#renderer/navigation/router.ts';
import { createJobsStore } from '#renderer/stores/jobs-store.ts';
import { JOB_LABELS } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';
import { RUNNER_JOB_STATUSES } from '#shared/machines/runner-job.ts';

const COLUMNS = [
  { name: text.jobs.status },
  { name: text.jobs.script },
  { name: text.jobs.repo },
  { name: text.jobs.by },
  { name: text.jobs.queued },
  { name: text.jobs.duration, className: 'text-right' },
];

const row = (job: ComponentProps<typeof JobRow>['job']) => <JobRow job={job} />;

export function JobsPage({ filter }: { readonly filter: JobFilter }) {
  const { client, feed } = useApp();
  const shown = [client, feed, filter.status];
  const store = useOpenStore(() => createJobsStore(client, feed, filter), shown);
  return (
    <ListPage
      store={store}
      text={text.jobs}
      filters={<JobFilters filter={filter} />}
      empty={<NoJobs isFiltered={filter.status !== undefined} />}
      columns={COLUMNS}
      grid={JOB_GRID}
      rowHeight={JOB_ROW_HEIGHT}
      aboveRows={<RunnerNotice />}
    >
      {row}
    </ListPage>
  );
}

function JobFilters({ filter }: { readonly filter: JobFilter }) {
  const { router } = useApp();
  return (
    <>
      <TextLink to={href.scripts()} className="font-medium">
        {text.jobs.toScripts}
      </TextLink>
      <FilterSelect
        label={text.jobs.filterStatus}
        allLabel={text.jobs.allStatuses}
        items={RUNNER_JOB_STATUSES.map((id) => ({ id, name: JOB_LABELS[id] }))}
        chosen={filter.status ?? null}
        onChoose={(id) => {
          const status = RUNNER_JOB_STATUSES.find((one) => one === id);
          router.navigate(href.jobs({ status }));
        }}
      />
    </>
  );
}

function NoJobs({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <>
      {isFiltered ? null : <RunnerNotice />}
      <EmptyList
        isFiltered={isFiltered}
        text={text.jobs}
        allHref={href.jobs()}
        icon={SquareTerminal}
        suggestion={{ to: href.scripts(), name: text.jobs.toScripts }}
      />
    </>
  );
}
