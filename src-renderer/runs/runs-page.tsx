import { History, SearchX } from 'lucide-react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { href, type RunFilter } from '#renderer/router.ts';
import { RunFilters } from '#renderer/runs/run-filters.tsx';
import { RunsList, RunsSkeleton } from '#renderer/runs/runs-list.tsx';
import { createRunsStore } from '#renderer/stores/runs.ts';
import { text } from '#renderer/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

export function RunsPage({ filter }: { readonly filter: RunFilter }) {
  const { client, live } = useApp();
  const shown = [client, live, filter.workflowId, filter.status];
  const store = useOpenStore(() => createRunsStore(client, live, filter), shown);
  const { loaded, error } = useStore(store);
  const isEmpty = useStore(store, (state) => state.loaded && state.shown.length === 0);
  const total = useStore(store, (state) => state.shown.length);
  const complete = useStore(store, (state) => state.next === null);

  return (
    <Page
      fills="always"
      title={text.runs.title}
      beside={
        loaded && !isEmpty ? (
          <span className="tabular text-[0.8125rem] text-muted">
            {text.runs.loaded(total, complete)}
          </span>
        ) : null
      }
      actions={<RunFilters filter={filter} />}
    >
      <Failure error={error}>
        <Button size="small" onPress={store.refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {!loaded && error === null ? <RunsSkeleton /> : null}
      {isEmpty ? (
        <NoRuns filtered={filter.workflowId !== undefined || filter.status !== undefined} />
      ) : null}
      {loaded && !isEmpty ? <RunsList store={store} /> : null}
    </Page>
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
