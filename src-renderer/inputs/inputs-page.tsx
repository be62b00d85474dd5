import { LogIn } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { DeadNotice } from '#renderer/inputs/dead-rows.tsx';
import { InputFilters } from '#renderer/inputs/input-filters.tsx';
import type { InputFilter } from '#renderer/inputs/input-route.ts';
import { INPUT_GRID, INPUT_ROW_HEIGHT, InputRow } from '#renderer/inputs/input-row.tsx';
import { StartByHand } from '#renderer/inputs/start-by-hand.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { ListSkeleton, LiveList } from '#renderer/lists/live-list.tsx';
import { NoRows } from '#renderer/lists/no-rows.tsx';
import { href } from '#renderer/router.ts';
import { createInputsStore, type InputsStore } from '#renderer/stores/inputs.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

const WORDS = inputsText.list;
const COLUMNS = [
  { name: WORDS.status },
  { name: WORDS.what },
  { name: WORDS.source },
  { name: WORDS.workflow },
  { name: WORDS.received },
  { name: WORDS.duration, className: 'text-right' },
];

const row = (input: ComponentProps<typeof InputRow>['input']) => <InputRow input={input} />;

export function InputsPage({ filter }: { readonly filter: InputFilter }) {
  const { client, live } = useApp();
  const key = href.inputs(filter);
  // The filter object is new on every render; the key of the URL tells if it changed.
  const store = useOpenStore(() => createInputsStore(client, live, filter), [client, live, key]);
  return (
    <ListPage
      store={store}
      title={WORDS.title}
      loading={WORDS.loading}
      sayLoaded={WORDS.loaded}
      filters={
        <>
          <LinkButton to={href.hooks()}>{inputsText.hooks.title}</LinkButton>
          <StartByHand />
        </>
      }
      above={
        <>
          <InputFilters filter={filter} />
          <DeadNotice />
        </>
      }
      empty={<NoInputs store={store} isFiltered={key !== href.inputs()} />}
    >
      <LiveList
        store={store}
        label={WORDS.title}
        columns={COLUMNS}
        grid={INPUT_GRID}
        rowHeight={INPUT_ROW_HEIGHT}
        sayWaiting={WORDS.waiting}
      >
        {row}
      </LiveList>
    </ListPage>
  );
}

interface NoInputsProps {
  readonly store: InputsStore;
  readonly isFiltered: boolean;
}

function NoInputs({ store, isFiltered }: NoInputsProps) {
  // A search scans in pages, and the first may have no match.
  const isSearching = useStore(store, ({ next, error }) => next !== null && error === null);
  if (isSearching) return <ListSkeleton label={WORDS.searching} />;
  return (
    <NoRows
      isFiltered={isFiltered}
      words={WORDS}
      all={href.inputs()}
      icon={LogIn}
      next={{ to: href.hooks(), name: inputsText.hooks.create }}
    />
  );
}
