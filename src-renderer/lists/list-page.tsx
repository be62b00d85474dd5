// A page with one live list.
import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { ListSkeleton } from '#renderer/lists/live-list.tsx';
import type { Row } from '#renderer/stores/list-rows.ts';
import type { ListStore } from '#renderer/stores/list.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Page } from '#renderer/ui/page.tsx';

interface Props<R extends Row> {
  readonly store: ListStore<R>;
  readonly title: string;
  readonly loading: string;
  readonly sayLoaded: (loaded: number, complete: boolean) => string;
  readonly filters?: ReactNode;
  /** Between title and list, for filters that need their own line. */
  readonly above?: ReactNode;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
  readonly children: ReactNode;
}

export function ListPage<R extends Row>(props: Props<R>) {
  const { store, title, loading, sayLoaded, filters, above, empty, children } = props;
  const loaded = useStore(store, (state) => state.loaded);
  const error = useStore(store, (state) => state.error);
  const total = useStore(store, (state) => state.shown.length);
  const complete = useStore(store, (state) => state.next === null);

  return (
    <Page
      fills="always"
      title={title}
      beside={
        loaded && total > 0 ? (
          <span className="tabular text-[0.8125rem] text-muted">{sayLoaded(total, complete)}</span>
        ) : null
      }
      actions={filters}
    >
      {above}
      <Failure error={error}>
        <Button size="small" onPress={store.refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {!loaded && error === null ? <ListSkeleton label={loading} /> : null}
      {loaded ? (total === 0 ? empty : children) : null}
    </Page>
  );
}
