import { History, SearchX } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useApp } from '#renderer/app-context.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { LiveList } from '#renderer/lists/live-list.tsx';
import { href, type SessionFilter } from '#renderer/router.ts';
import { SessionFilters } from '#renderer/sessions/session-filters.tsx';
import { SESSION_GRID, SESSION_ROW_HEIGHT, SessionRow } from '#renderer/sessions/session-row.tsx';
import { createSessionsStore } from '#renderer/stores/sessions.ts';
import { text } from '#renderer/text.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

const COLUMNS = [
  { name: text.sessions.status },
  { name: text.sessions.workflow },
  { name: text.sessions.lane },
  { name: text.sessions.trigger },
  { name: text.sessions.started },
  { name: text.sessions.duration, className: 'text-right' },
];

const row = (run: ComponentProps<typeof SessionRow>['run']) => <SessionRow run={run} />;

export function SessionsPage({ filter }: { readonly filter: SessionFilter }) {
  const { client, live } = useApp();
  const shown = [client, live, filter.workflowId, filter.status];
  const store = useOpenStore(() => createSessionsStore(client, live, filter), shown);
  return (
    <ListPage
      store={store}
      title={text.sessions.title}
      loading={text.sessions.loading}
      sayLoaded={text.sessions.loaded}
      filters={<SessionFilters filter={filter} />}
      empty={
        <NoSessions filtered={filter.workflowId !== undefined || filter.status !== undefined} />
      }
    >
      <LiveList
        store={store}
        label={text.sessions.title}
        columns={COLUMNS}
        grid={SESSION_GRID}
        rowHeight={SESSION_ROW_HEIGHT}
        sayWaiting={text.sessions.waiting}
      >
        {row}
      </LiveList>
    </ListPage>
  );
}

function NoSessions({ filtered }: { readonly filtered: boolean }) {
  const { emptyTitle, emptyHint, toWorkflows, noMatchTitle, noMatchHint, clearFilters } =
    text.sessions;
  const link = 'rounded-sm font-medium text-accent hover:underline';
  return filtered ? (
    <EmptyState icon={SearchX} title={noMatchTitle} hint={noMatchHint}>
      <Link to={href.sessions()} className={link}>
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
