import { LogIn } from 'lucide-react';
import type { ComponentProps } from 'react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { DeadLettersNotice } from '#renderer/inputs/dead-letters.tsx';
import { InputFilters } from '#renderer/inputs/input-filters.tsx';
import type { InputFilter } from '#renderer/navigation/input-route.ts';
import { INPUT_GRID, INPUT_ROW_HEIGHT, InputRow } from '#renderer/inputs/input-row.tsx';
import { StartInput } from '#renderer/inputs/start-input.tsx';
import { ListPage } from '#renderer/lists/list-page.tsx';
import { ListSkeleton } from '#renderer/lists/live-list.tsx';
import { EmptyList } from '#renderer/lists/empty-list.tsx';
import { href } from '#renderer/navigation/router.ts';
import { createInputsStore, type InputsStore } from '#renderer/stores/inputs-store.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

const TEXT = inputsText.list;
const COLUMNS = [
  { name: TEXT.status },
  { name: TEXT.what },
  { name: TEXT.source },
  { name: TEXT.workflow },
  { name: TEXT.received },
  { name: TEXT.duration, className: 'text-right' },
];

const row = (input: ComponentProps<typeof InputRow>['input']) => <InputRow input={input} />;

export function InputsPage({ filter }: { readonly filter: InputFilter }) {
  const { client, feed } = useApp();
  const key = href.inputs(filter);
  // The filter object is new on every render; the key of the URL shows if it changed.
  const store = useOpenStore(() => createInputsStore(client, feed, filter), [client, feed, key]);
  return (
    <ListPage
      store={store}
      text={TEXT}
      filters={
        <>
          <LinkButton to={href.webhooks()}>{inputsText.webhooks.title}</LinkButton>
          <StartInput />
        </>
      }
      above={
        <>
          <InputFilters filter={filter} />
          <DeadLettersNotice />
        </>
      }
      empty={<NoInputs store={store} isFiltered={key !== href.inputs()} />}
      columns={COLUMNS}
      grid={INPUT_GRID}
      rowHeight={INPUT_ROW_HEIGHT}
    >
      {row}
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
  if (isSearching) return <ListSkeleton label={TEXT.searching} />;
  return (
    <EmptyList
      isFiltered={isFiltered}
      text={TEXT}
      allHref={href.inputs()}
      icon={LogIn}
      suggestion={{ to: href.webhooks(), name: inputsText.webhooks.create }}
    />
  );
}
