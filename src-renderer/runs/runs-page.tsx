import { History, SearchX, X } from 'lucide-react';
import { useApp } from '#renderer/app-context.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { LiveList } from '#renderer/lists/live-list.tsx';
import { WorkflowChoice } from '#renderer/lists/workflow-choice.tsx';
import { href, type RunFilter } from '#renderer/router.ts';
import { RUN_GRID, RUN_ROW_HEIGHT, RunRow } from '#renderer/runs/run-row.tsx';
import { shortId } from '#renderer/short-id.ts';
import { createRunsStore } from '#renderer/stores/runs.ts';
import { text } from '#renderer/text.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

const COLUMNS = [
  { name: text.runs.phase },
  { name: text.runs.what },
  { name: text.runs.workflow },
  { name: text.runs.effect },
  { name: text.runs.started },
  { name: text.runs.duration, className: 'text-right' },
];

export function RunsPage({ filter }: { readonly filter: RunFilter }) {
  const { client, live } = useApp();
  const shown = [client, live, filter.workflowId, filter.sessionId];
  const store = useOpenStore(() => createRunsStore(client, live, filter), shown);
  const filtered = filter.workflowId !== undefined || filter.sessionId !== undefined;
  return (
    <ListPage
      store={store}
      title={text.runs.title}
      loading={text.runs.loading}
      sayLoaded={text.runs.loaded}
      filters={<RunFilters filter={filter} />}
      empty={<NoRuns filtered={filtered} />}
    >
      <LiveList
        store={store}
        label={text.runs.title}
        columns={COLUMNS}
        grid={RUN_GRID}
        rowHeight={RUN_ROW_HEIGHT}
        sayWaiting={text.runs.waiting}
      >
        {(run) => <RunRow run={run} />}
      </LiveList>
    </ListPage>
  );
}

function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const { router } = useApp();
  const { workflowId, sessionId } = filter;
  return (
    <>
      {sessionId === undefined ? null : (
        <Link
          to={href.runs({ workflowId })}
          title={sessionId}
          className="inline-flex h-8 items-center gap-1.5 rounded-md bg-surface px-2.5 shadow-raised ring-1 ring-accent ring-inset hover:bg-hover"
        >
          {text.runs.ofSession(shortId(sessionId))}
          <X aria-hidden className="size-3.5 text-muted" />
          <span className="sr-only">{text.runs.clearSession}</span>
        </Link>
      )}
      <WorkflowChoice
        chosen={workflowId}
        onChoose={(id) => router.navigate(href.runs({ sessionId, workflowId: id }))}
      />
    </>
  );
}

function NoRuns({ filtered }: { readonly filtered: boolean }) {
  const { emptyTitle, emptyHint, toWorkflows, noMatchTitle, noMatchHint, clearFilters } = text.runs;
  const link = 'rounded-sm font-medium text-accent hover:underline';
  return filtered ? (
    <EmptyState icon={SearchX} title={noMatchTitle} hint={noMatchHint}>
      <Link to={href.runs()} className={link}>
        {clearFilters}
      </Link>
    </EmptyState>
  ) : (
    <EmptyState icon={History} title={emptyTitle} hint={emptyHint}>
      <Link to={href.workflows()} className={link}>
        {toWorkflows}
      </Link>
    </EmptyState>
  );
}
