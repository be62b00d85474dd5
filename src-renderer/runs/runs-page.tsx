import { History } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { LiveList } from '#renderer/lists/live-list.tsx';
import { NoRows } from '#renderer/lists/no-rows.tsx';
import { href, type RunFilter } from '#renderer/router.ts';
import { BulkBar } from '#renderer/runs/bulk-bar.tsx';
import { RunFilters } from '#renderer/runs/run-filters.tsx';
import { RUN_GRID, RUN_ROW_HEIGHT, RunRow } from '#renderer/runs/run-row.tsx';
import { useSelection, type Selection } from '#renderer/runs/use-selection.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { useActions } from '#renderer/shell/actions.ts';
import { createRunsStore, type RunsStore } from '#renderer/stores/runs.ts';
import { text } from '#renderer/text/text.ts';
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
  const key = href.runs(filter);
  // The filter object is new on every render; the key of the URL tells if it changed.
  const store = useOpenStore(() => createRunsStore(client, live, filter), [client, live, key]);
  const selection = useSelection();
  const { toggle } = selection;
  const choose = useCallback(
    (runId: string, through: boolean) => toggle(runId, idsOf(store), through),
    [toggle, store],
  );
  useChooseKey(choose);
  const row = useCallback(
    (run: HandlerRunView) => (
      <RunRow run={run} isChosen={selection.has(run.id)} onChoose={choose} />
    ),
    [selection, choose],
  );
  const columns = useMemo(
    () => [
      { name: text.bulk.column, content: <ChooseAll store={store} selection={selection} /> },
      ...COLUMNS,
    ],
    [store, selection],
  );
  return (
    <ListPage
      store={store}
      title={text.runs.title}
      loading={text.runs.loading}
      sayLoaded={text.runs.loaded}
      above={<RunFilters filter={filter} />}
      empty={
        <NoRows
          isFiltered={key !== href.runs()}
          words={text.runs}
          all={href.runs()}
          icon={History}
          next={{ to: href.workflows(), name: text.runs.toWorkflows }}
        />
      }
    >
      <BulkBar selection={selection} onDone={store.refresh} />
      <LiveList
        store={store}
        label={text.runs.title}
        columns={columns}
        grid={RUN_GRID}
        rowHeight={RUN_ROW_HEIGHT}
        sayWaiting={text.runs.waiting}
      >
        {row}
      </LiveList>
    </ListPage>
  );
}

const idsOf = (store: RunsStore): readonly string[] => store.getState().shown.map(({ id }) => id);

function useChooseKey(choose: (runId: string, through: boolean) => void): void {
  useActions(
    () => [
      {
        id: 'runs.choose',
        name: text.bulk.chooseFocused,
        group: 'page',
        keys: 'x',
        keysOnly: true,
        run: () => {
          const row = document.activeElement?.closest<HTMLElement>('[data-row]');
          const id = row?.dataset['row'];
          if (id !== undefined) choose(id, false);
        },
      },
    ],
    [choose],
  );
}

interface ChooseAllProps {
  readonly store: RunsStore;
  readonly selection: Selection;
}

/** Selects only loaded rows, because nobody has seen the others. */
function ChooseAll({ store, selection }: ChooseAllProps) {
  const shown = useStore(store, (state) => state.shown);
  const isAll = shown.length > 0 && shown.every(({ id }) => selection.has(id));
  return (
    <input
      type="checkbox"
      aria-label={text.bulk.chooseAll(shown.length)}
      title={text.bulk.chooseAll(shown.length)}
      checked={isAll}
      onChange={() => (isAll ? selection.clear() : selection.all(idsOf(store)))}
      className="size-4 accent-accent-fill"
    />
  );
}
