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
import { Link } from '#renderer/ui/buttons/link.tsx';
import { SessionChip } from '#renderer/ui/display/status-chip.tsx';
import { RecordPage } from '#renderer/ui/layout/record-page.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function SessionPage({ runId }: { readonly runId: string }) {
  const { client, feed } = useApp();
  const store = useOpenStore(() => createSessionStore(client, feed, runId), [client, feed, runId]);
  const run = useStore(store, (state) => state.run);
  const runError = useStore(store, (state) => state.runError);
  const logError = useStore(store, (state) => state.logError);
  const snapshot = useStore(store, (state) => state.snapshot);

  return (
    <RecordPage
      id={runId}
      record={run}
      error={runError ?? logError}
      onRetry={store.refresh}
      text={text.session}
      backTo={href.sessions()}
      fillHeight="wide"
      title={run?.workflowName}
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
      {(shown) => (
        <div className="grid min-h-0 gap-4 lg:flex-1 lg:grid-cols-[minmax(0,1fr)_20rem]">
          {/* In one column, the log comes before the summary. */}
          <aside className="content-start gap-4 max-lg:contents lg:order-last lg:-m-px lg:grid lg:overflow-y-auto lg:p-px">
            <SessionDetails run={shown} />
            {snapshot ? (
              <div className="max-lg:order-last">
                <SnapshotSummary snapshot={snapshot} />
              </div>
            ) : null}
          </aside>
          <EventLog store={store} />
        </div>
      )}
    </RecordPage>
  );
}
