import { History } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { EmptyList } from '#renderer/lists/empty-list.tsx';
import { href, type RunFilter } from '#renderer/navigation/router.ts';
import { BulkActionsBar } from '#renderer/runs/bulk-actions-bar.tsx';
import { RunFilters } from '#renderer/runs/run-filters.tsx';
import { RUN_GRID, RUN_ROW_HEIGHT, RunRow } from '#renderer/runs/run-row.tsx';
import { useRunSelection, type RunSelection } from '#renderer/runs/use-run-selection.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { usePageCommand } from '#renderer/commands/command-registry.ts';
import { createRunsStore, type RunsStore } from '#renderer/stores/runs-store.ts';
import { text } from '#renderer/text/text.ts';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

const COLUMNS = [
  { name: text.runs.phase },
  { name: text.runs.what },
  { name: text.runs.workflow },
  { name: text.runs.effect },
  { name: text.runs.started },
  { name: text.runs.duration, className: 'text-right' },
];

export function RunsPage({ filter }: { readonly filter: RunFilter }) {
  const { client, feed } = useApp();
  const key = href.runs(filter);
  // The filter object is new on every render; the key of the URL shows if it changed.
  const store = useOpenStore(() => createRunsStore(client, feed, filter), [client, feed, key]);
  const selection = useRunSelection();
  const { toggle } = selection;
  const select = useCallback(
    (runId: string, through: boolean) => toggle(runId, idsOf(store), through),
    [toggle, store],
  );
  useSelectShortcut(select);
  const row = useCallback(
    (run: HandlerRunView) => (
      <RunRow run={run} isSelected={selection.has(run.id)} onSelect={select} />
    ),
    [selection, select],
  );
  const columns = useMemo(
    () => [
      {
        name: text.bulk.column,
        content: <SelectAllCheckbox store={store} selection={selection} />,
      },
      ...COLUMNS,
    ],
    [store, selection],
  );
  return (
    <ListPage
      store={store}
      text={text.runs}
      above={<RunFilters filter={filter} />}
      empty={
        <EmptyList
          isFiltered={key !== href.runs()}
          text={text.runs}
          allHref={href.runs()}
          icon={History}
          suggestion={{ to: href.workflows(), name: text.runs.toWorkflows }}
        />
      }
      columns={columns}
      grid={RUN_GRID}
      rowHeight={RUN_ROW_HEIGHT}
      aboveRows={<BulkActionsBar selection={selection} onDone={store.refresh} />}
    >
      {row}
    </ListPage>
  );
}

const idsOf = (store: RunsStore): readonly string[] => store.getState().shown.map(({ id }) => id);

function useSelectShortcut(choose: (runId: string, through: boolean) => void): void {
  usePageCommand({
    id: 'runs.choose',
    name: text.bulk.chooseFocused,
    keys: 'x',
    isShortcutOnly: true,
    run: () => {
      const row = document.activeElement?.closest<HTMLElement>('[data-row]');
      const id = row?.dataset['row'];
      if (id !== undefined) choose(id, false);
    },
  });
}

interface SelectAllCheckboxProps {
  readonly store: RunsStore;
  readonly selection: RunSelection;
}

/** Selects only loaded rows, because nobody has seen the others. */
function SelectAllCheckbox({ store, selection }: SelectAllCheckboxProps) {
  const shown = useStore(store, (state) => state.shown);
  const isAllSelected = shown.length > 0 && shown.every(({ id }) => selection.has(id));
  return (
    <input
      type="checkbox"
      aria-label={text.bulk.chooseAll(shown.length)}
      title={text.bulk.chooseAll(shown.length)}
      checked={isAllSelected}
      onChange={() => (isAllSelected ? selection.clear() : selection.selectAll(idsOf(store)))}
      className="size-4 accent-accent-fill"
    />
  );
}
