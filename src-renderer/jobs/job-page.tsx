import { FileQuestionMark } from 'lucide-react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { CancelJob } from '#renderer/jobs/cancel-job.tsx';
import { JobDetails } from '#renderer/jobs/job-details.tsx';
import { JobLog } from '#renderer/jobs/job-log.tsx';
import { RunJobAgain } from '#renderer/jobs/run-job-again.tsx';
import { href } from '#renderer/navigation/router.ts';
import { createJobStore } from '#renderer/stores/job-store.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { JobChip } from '#renderer/ui/display/status-chip.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function JobPage({ jobId }: { readonly jobId: string }) {
  const { client, feed } = useApp();
  const store = useOpenStore(() => createJobStore(client, feed, jobId), [client, feed, jobId]);
  const job = useStore(store, (state) => state.job);
  const error = useStore(store, (state) => state.error);
  const back = <BackLink to={href.jobs()}>{text.job.back}</BackLink>;

  if (job === null && error?.type === 'not_found') {
    return (
      <Page title={text.job.notFoundTitle} above={back}>
        <EmptyState icon={FileQuestionMark} title={jobId} hint={text.job.notFoundHint} />
      </Page>
    );
  }
  return (
    <Page
      fillHeight="wide"
      title={job?.scriptKey ?? text.job.loading}
      above={back}
      beside={job ? <JobChip status={job.status} /> : null}
      actions={
        job ? (
          <>
            <RunJobAgain job={job} />
            <CancelJob job={job} onCanceled={store.refresh} />
          </>
        ) : null
      }
    >
      <Failure error={error}>
        <Button size="small" onPress={store.refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {job ? (
        <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <JobLog store={store} />
          <div className="lg:overflow-y-auto lg:p-px">
            <JobDetails job={job} />
          </div>
        </div>
      ) : error === null ? (
        <PageSkeleton label={text.job.loading} />
      ) : null}
    </Page>
  );
}
