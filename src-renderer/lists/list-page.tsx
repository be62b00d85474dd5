// A page with one live list.
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { ListSkeleton } from '#renderer/lists/live-list.tsx';
import type { Row } from '#renderer/stores/list/list-rows.ts';
import type { ListStore } from '#renderer/stores/list/list-store.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';

interface Props<R extends Row> {
  readonly store: ListStore<R>;
  readonly title: string;
  readonly loadingText: string;
  readonly loadedText: (loaded: number, isComplete: boolean) => string;
  readonly filters?: ReactNode;
  /** Between title and list, for filters that need their own line. */
  readonly above?: ReactNode;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
  readonly children: ReactNode;
}

export function ListPage<R extends Row>(props: Props<R>) {
  const { store, title, loadingText, loadedText, filters, above, empty, children } = props;
  const isLoaded = useStore(store, (state) => state.isLoaded);
  const error = useStore(store, (state) => state.error);
  const total = useStore(store, (state) => state.shown.length);
  const complete = useStore(store, (state) => state.next === null);

  return (
    <Page
      fillHeight="always"
      title={title}
      beside={
        isLoaded && total > 0 ? (
          <span className="tabular text-[0.8125rem] text-muted">{loadedText(total, complete)}</span>
        ) : null
      }
      actions={filters}
    >
      {above}
      <Failure error={error} onRetry={store.refresh} />
      {!isLoaded && error === null ? <ListSkeleton label={loadingText} /> : null}
      {isLoaded ? (total === 0 ? empty : children) : null}
    </Page>
  );
}
