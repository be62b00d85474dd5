import { History } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { EmptyList } from '#renderer/lists/empty-list.tsx';
import { href, type SessionFilter } from '#renderer/navigation/router.ts';
import { SessionFilters } from '#renderer/sessions/session-filters.tsx';
import { SESSION_GRID, SESSION_ROW_HEIGHT, SessionRow } from '#renderer/sessions/session-row.tsx';
import { createSessionsStore } from '#renderer/stores/sessions-store.ts';
import { text } from '#renderer/text/text.ts';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

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
  const { client, feed } = useApp();
  const shown = [client, feed, filter.workflowId, filter.status];
  const store = useOpenStore(() => createSessionsStore(client, feed, filter), shown);
  return (
    <ListPage
      store={store}
      text={text.sessions}
      filters={<SessionFilters filter={filter} />}
      empty={
        <EmptyList
          isFiltered={filter.workflowId !== undefined || filter.status !== undefined}
          text={text.sessions}
          allHref={href.sessions()}
          icon={History}
          suggestion={{ to: href.workflows(), name: text.sessions.toWorkflows }}
        />
      }
      columns={COLUMNS}
      grid={SESSION_GRID}
      rowHeight={SESSION_ROW_HEIGHT}
    >
      {row}
    </ListPage>
  );
}
