// A page with one live list.
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { ListSkeleton, LiveList, type LiveListProps } from '#renderer/lists/live-list.tsx';
import type { Row } from '#renderer/stores/list/list-rows.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';

interface Props<R extends Row> extends Omit<LiveListProps<R>, 'label' | 'waitingText'> {
  readonly text: {
    readonly title: string;
    readonly loading: string;
    readonly loaded: (loaded: number, isComplete: boolean) => string;
    readonly waiting: LiveListProps<R>['waitingText'];
  };
  readonly filters?: ReactNode;
  /** Between title and list, for filters that need their own line. */
  readonly above?: ReactNode;
  /** Directly above the rows, if there are any. */
  readonly aboveRows?: ReactNode;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
}

export function ListPage<R extends Row>(props: Props<R>) {
  const { text, filters, above, aboveRows, empty, ...list } = props;
  const { store } = list;
  const isLoaded = useStore(store, (state) => state.isLoaded);
  const error = useStore(store, (state) => state.error);
  const total = useStore(store, (state) => state.shown.length);
  const complete = useStore(store, (state) => state.next === null);

  return (
    <Page
      fillHeight="always"
      title={text.title}
      beside={
        isLoaded && total > 0 ? (
          <span className="tabular text-[0.8125rem] text-muted">
            {text.loaded(total, complete)}
          </span>
        ) : null
      }
      actions={filters}
    >
      {above}
      <Failure error={error} onRetry={store.refresh} />
      {!isLoaded && error === null ? <ListSkeleton label={text.loading} /> : null}
      {isLoaded && total === 0 ? empty : null}
      {isLoaded && total > 0 ? (
        <>
          {aboveRows}
          <LiveList {...list} label={text.title} waitingText={text.waiting} />
        </>
      ) : null}
    </Page>
  );
}
