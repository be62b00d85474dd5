import { FileQuestionMark } from 'lucide-react';
import { useStore } from 'zustand';
import { isActive } from '#shared/machines/script-run.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { EndSession } from '#renderer/sessions/end-session.tsx';
import { EventLog } from '#renderer/sessions/event-log.tsx';
import { SessionDetails } from '#renderer/sessions/session-details.tsx';
import { SnapshotSummary } from '#renderer/sessions/snapshot-summary.tsx';
import { createSessionStore } from '#renderer/stores/session-store.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { SessionChip } from '#renderer/ui/display/status-chip.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function SessionPage({ runId }: { readonly runId: string }) {
  const { client, feed } = useApp();
  const store = useOpenStore(() => createSessionStore(client, feed, runId), [client, feed, runId]);
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
      fillHeight="wide"
      title={run?.workflowName ?? text.session.loading}
      above={<Back />}
      beside={run ? <SessionChip status={run.status} hasTooltip /> : null}
      actions={
        run ? (
          <>
            <Link
              to={href.runs({ sessionId: run.id })}
              className="rounded-sm px-1 font-medium text-accent hover:underline"
            >
              {text.session.runs}
            </Link>
            {isActive(run.status) && run.lane !== 'main' ? (
              <EndSession run={run} onEnded={store.refresh} />
            ) : null}
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
