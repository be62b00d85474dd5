import { ChevronLeft, FileQuestionMark } from 'lucide-react';
import { useStore } from 'zustand';
import { isActive } from '#shared/machines/script-run.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { EndRun } from '#renderer/run/end-run.tsx';
import { EventLog } from '#renderer/run/event-log.tsx';
import { RunDetails } from '#renderer/run/run-details.tsx';
import { RunSkeleton } from '#renderer/run/run-skeleton.tsx';
import { SnapshotSummary } from '#renderer/run/snapshot-summary.tsx';
import { createRunStore } from '#renderer/stores/run.ts';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { StatusChip } from '#renderer/ui/status-chip.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

export function RunPage({ runId }: { readonly runId: string }) {
  const { client, live } = useApp();
  const store = useOpenStore(() => createRunStore(client, live, runId), [client, live, runId]);
  const run = useStore(store, (state) => state.run);
  const runError = useStore(store, (state) => state.runError);
  const logError = useStore(store, (state) => state.logError);
  const snapshot = useStore(store, (state) => state.snapshot);

  if (run === null && runError?.type === 'not_found') {
    return (
      <Page title={text.run.notFoundTitle} above={<Back />}>
        <EmptyState icon={FileQuestionMark} title={runId} hint={text.run.notFoundHint} />
      </Page>
    );
  }
  return (
    <Page
      fills="wide"
      title={run?.workflowName ?? text.run.loading}
      above={<Back />}
      beside={run ? <StatusChip status={run.status} /> : null}
      actions={run && isActive(run.status) ? <EndRun run={run} onEnded={store.refresh} /> : null}
    >
      <Failure error={runError ?? logError}>
        <Button size="small" onPress={store.refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {run ? (
        <div className="grid min-h-0 gap-4 lg:flex-1 lg:grid-cols-[minmax(0,1fr)_20rem]">
          {/* Where there is one column, the log comes before what only sums it up. */}
          <aside className="content-start gap-4 max-lg:contents lg:order-last lg:-m-px lg:grid lg:overflow-y-auto lg:p-px">
            <RunDetails run={run} />
            {snapshot ? (
              <div className="max-lg:order-last">
                <SnapshotSummary snapshot={snapshot} />
              </div>
            ) : null}
          </aside>
          <EventLog store={store} />
        </div>
      ) : runError === null ? (
        <RunSkeleton />
      ) : null}
    </Page>
  );
}

function Back() {
  return (
    <Link
      to={href.runs()}
      className="-ml-1 inline-flex items-center gap-0.5 justify-self-start rounded-sm text-[0.8125rem] text-muted hover:text-ink"
    >
      <ChevronLeft aria-hidden className="size-4" />
      {text.run.back}
    </Link>
  );
}
