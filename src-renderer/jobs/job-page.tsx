import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { CancelJob } from '#renderer/jobs/cancel-job.tsx';
import { JobDetails } from '#renderer/jobs/job-details.tsx';
import { JobLog } from '#renderer/jobs/job-log.tsx';
import { RunJobAgain } from '#renderer/jobs/run-job-again.tsx';
import { href } from '#renderer/navigation/router.ts';
import { createJobStore } from '#renderer/stores/job-store.ts';
import { text } from '#renderer/text/text.ts';
import { JobChip } from '#renderer/ui/display/status-chip.tsx';
import { RecordPage } from '#renderer/ui/layout/record-page.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function JobPage({ jobId }: { readonly jobId: string }) {
  const { client, feed } = useApp();
  const store = useOpenStore(() => createJobStore(client, feed, jobId), [client, feed, jobId]);
  const job = useStore(store, (state) => state.job);
  const error = useStore(store, (state) => state.error);
  return (
    <RecordPage
      id={jobId}
      record={job}
      error={error}
      onRetry={store.refresh}
      text={text.job}
      backTo={href.jobs()}
      fillHeight="wide"
      title={job?.scriptKey}
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
      {(shown) => (
        <div className="grid min-h-0 flex-1 gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <JobLog store={store} />
          <div className="lg:overflow-y-auto lg:p-px">
            <JobDetails job={shown} />
          </div>
        </div>
      )}
    </RecordPage>
  );
}
