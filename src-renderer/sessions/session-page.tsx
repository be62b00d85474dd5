import { FileQuestionMark } from 'lucide-react';
import { useStore } from 'zustand';
import { isActive } from '#shared/machines/script-run.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { EndSession } from '#renderer/sessions/end-session.tsx';
import { EventLog } from '#renderer/sessions/event-log.tsx';
import { SessionDetails } from '#renderer/sessions/session-details.tsx';
import { SnapshotSummary } from '#renderer/sessions/snapshot-summary.tsx';
import { createSessionStore } from '#renderer/stores/session.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/back-link.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { StatusChip } from '#renderer/ui/status-chip.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

export function SessionPage({ runId }: { readonly runId: string }) {
  const { client, live } = useApp();
  const store = useOpenStore(() => createSessionStore(client, live, runId), [client, live, runId]);
  const run = useStore(store, (state) => state.run);
  const runError = useStore(store, (state) => state.runError);
  const logError = useStore(store, (state) => state.logError);
  const snapshot = useStore(store, (state) => state.snapshot);

  if (run === null && runError?.type === 'not_found') {
    return (
      <Page title={text.session.notFoundTitle} above={<Back />}>
        <EmptyState icon={FileQuestionMark} title={runId} hint={text.session.notFoundHint} />
      </Page>
    );
  }
  return (
    <Page
      fills="wide"
      title={run?.workflowName ?? text.session.loading}
      above={<Back />}
      beside={run ? <StatusChip status={run.status} isExplained /> : null}
      actions={
        run ? (
          <>
            <Link
              to={href.runs({ sessionId: run.id })}
              className="rounded-sm px-1 font-medium text-accent hover:underline"
            >
              {text.session.runs}
            </Link>
            {isActive(run.status) ? <EndSession run={run} onEnded={store.refresh} /> : null}
          </>
        ) : null
      }
    >
      <Failure error={runError ?? logError}>
        <Button size="small" onPress={store.refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {run ? (
        <div className="grid min-h-0 gap-4 lg:flex-1 lg:grid-cols-[minmax(0,1fr)_20rem]">
          {/* In one column, the log comes before the summary. */}
          <aside className="content-start gap-4 max-lg:contents lg:order-last lg:-m-px lg:grid lg:overflow-y-auto lg:p-px">
            <SessionDetails run={run} />
            {snapshot ? (
              <div className="max-lg:order-last">
                <SnapshotSummary snapshot={snapshot} />
              </div>
            ) : null}
          </aside>
          <EventLog store={store} />
        </div>
      ) : runError === null ? (
        <PageSkeleton label={text.session.loading} />
      ) : null}
    </Page>
  );
}

function Back() {
  return <BackLink to={href.sessions()}>{text.session.back}</BackLink>;
}
