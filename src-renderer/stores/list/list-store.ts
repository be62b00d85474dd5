// A live, paged list. Pages load as the reader nears the end and reload when they are stale and
// visible. The scroll position decides when new rows appear.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toApiError, nullIfNotFound } from '#renderer/client/to-api-error.ts';
import { MAX_SINGLE_FETCHES } from '#renderer/stores/feed-changes.ts';
import {
  FIRST_PAGE_SIZE,
  FIRST_PAGE,
  missingFrom,
  NEXT_PAGE_SIZE,
  stalePageInView,
  type ListResponse,
  type KeysetPage,
} from '#renderer/stores/list/keyset-pages.ts';
import {
  applyWaiting,
  mergeFresh,
  type ListRows,
  type ListRule,
  type Row,
} from '#renderer/stores/list/list-rows.ts';
import { createRefresher, type RefreshRequest } from '#renderer/stores/refresher.ts';

export interface ListState<R extends Row> extends ListRows<R> {
  /** True after the first reply. */
  readonly isLoaded: boolean;
  readonly next: string | null;
  readonly error: ApiError | null;
}

/** Visible rows, by index. */
export interface ListView {
  readonly first: number;
  readonly last: number;
  readonly isAtTop: boolean;
}

export interface ListStore<R extends Row> extends StoreApi<ListState<R>> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  setView(view: ListView): void;
  /** Shows waiting rows and scrolls to the top. */
  showWaiting(): void;
  refresh(): void;
}

/** Loads rows from the host. */
export interface ListSource<R extends Row> extends ListRule<R> {
  list(page: { readonly limit: number; readonly after?: string }): Promise<ListResponse<R>>;
  get(id: string): Promise<R>;
  /** The named rows, `many` if any may be stale, or null if the message isn't relevant. */
  changedIds(message: FeedMessage, known: readonly R[]): readonly string[] | 'many' | null;
}

const NO_ROWS: ListRows<never> = { shown: [], waiting: [], hasMoreWaiting: false };

export function createListStore<R extends Row>(
  feed: FeedConnection,
  source: ListSource<R>,
): ListStore<R> {
  const store = createStore<ListState<R>>(() => ({
    ...NO_ROWS,
    isLoaded: false,
    next: null,
    error: null,
  }));
  let pages: readonly KeysetPage<R>[] = [FIRST_PAGE];
  let view: ListView = { first: 0, last: 0, isAtTop: true };
  let refreshNow = (): void => undefined;

  const firstPage = (): Promise<ListResponse<R>> => source.list({ limit: FIRST_PAGE_SIZE });
  // Requested before the page renders, to save time.
  let prefetched: { readonly answer: Promise<ListResponse<R>>; readonly at: number } | null = {
    answer: firstPage(),
    at: feed.messageCount(),
  };
  // The error is reported when the list is opened. A list that is never opened ignores it.
  prefetched.answer.catch(() => undefined);

  const list = (after: string | undefined): Promise<ListResponse<R>> => {
    if (after !== undefined) return source.list({ limit: NEXT_PAGE_SIZE, after });
    const asked = prefetched;
    prefetched = null;
    return asked?.at === feed.messageCount() ? asked.answer : firstPage();
  };

  const apply = (fresh: readonly R[]): void => {
    const state = store.getState();
    const rows = mergeFresh(state, fresh, {
      rule: source,
      complete: state.isLoaded && state.next === null,
    });
    store.setState(view.isAtTop ? applyWaiting(rows, source) : rows);
  };

  const fetchRows = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += MAX_SINGLE_FETCHES) {
      const few = ids.slice(from, from + MAX_SINGLE_FETCHES);
      const rows = await Promise.all(few.map((id) => nullIfNotFound(source.get(id))));
      apply(rows.filter((row) => row !== null));
    }
  };

  const startWith = ({ rows, next }: ListResponse<R>): void => {
    pages = [{ ...FIRST_PAGE, first: rows[0], isStale: false }];
    store.setState({ ...NO_ROWS, shown: rows, next, isLoaded: true });
  };

  const refetchPage = async (page: KeysetPage<R>): Promise<void> => {
    const answer = await list(page.after);
    // The list restarted meanwhile.
    if (!pages.includes(page)) return;
    const { isLoaded, shown, waiting } = store.getState();
    const receivedIds = new Set(answer.rows.map(({ id }) => id));
    const isKnown = [shown, waiting].some((known) => known.some(({ id }) => receivedIds.has(id)));
    const startsOver = page.after === undefined && !isKnown;
    if (!isLoaded || shown.length === 0 || (startsOver && view.isAtTop)) return startWith(answer);
    pages = pages.map((one) => (one === page ? { ...one, isStale: false } : one));
    apply(answer.rows);
    if (startsOver && answer.next !== null) store.setState({ hasMoreWaiting: true });
    await removeLeftRows(missingFrom(page, answer, shown, source));
  };

  /** Rows that no longer match leave the list only if that moves nothing. */
  const removeLeftRows = async (missing: readonly R[]): Promise<void> => {
    const leaving = missing.filter((row) => source.matches(row));
    if (leaving.length === 0) return;
    if (!view.isAtTop) return fetchRows(leaving.map(({ id }) => id));
    const gone = new Set(leaving);
    store.setState(({ shown }) => ({ shown: shown.filter((row) => !gone.has(row)) }));
  };

  const fetchNext = async (after: string): Promise<void> => {
    const answer = await list(after);
    const { shown, next } = store.getState();
    if (next !== after) return;
    const last = shown.at(-1);
    pages = [...pages, { after, first: answer.rows[0], isStale: false }];
    store.setState({
      shown: [...shown, ...answer.rows.filter((row) => !last || source.newestFirst(last, row) < 0)],
      next: answer.next,
    });
  };

  /** One request at a time, until nothing visible is missing or stale. */
  const fetchVisible = async (): Promise<void> => {
    for (;;) {
      const { shown, next, isLoaded } = store.getState();
      const seen = { first: shown[view.first], last: shown[Math.min(view.last, shown.length - 1)] };
      const stalePage = stalePageInView(pages, seen, source);
      if (stalePage) await refetchPage(stalePage);
      else if (isLoaded && next !== null && view.last >= shown.length - FIRST_PAGE_SIZE / 2)
        await fetchNext(next);
      else return;
    }
  };

  const fetchRequested = async ({ isFull, ids }: RefreshRequest): Promise<void> => {
    try {
      if (isFull || ids.size > MAX_SINGLE_FETCHES)
        pages = pages.map((page) => ({ ...page, isStale: true }));
      else await fetchRows([...ids]);
      await fetchVisible();
      store.setState({ error: null });
    } catch (error) {
      // Everything stays stale, so the next refresh loads all that is visible.
      pages = pages.map((page) => ({ ...page, isStale: true }));
      store.setState({ error: toApiError(error) });
    }
  };

  const showWaiting = (): void => {
    if (store.getState().hasMoreWaiting) {
      pages = [FIRST_PAGE];
      store.setState({ ...NO_ROWS, isLoaded: false, next: null });
      refreshNow();
    } else store.setState(applyWaiting(store.getState(), source));
  };

  return Object.assign(store, {
    open() {
      const refresher = createRefresher(fetchRequested);
      const stopListening = feed.listen((message) => {
        const { shown, waiting } = store.getState();
        const ids = source.changedIds(message, [...shown, ...waiting]);
        if (ids === 'many') refresher.refreshAll();
        else if (ids !== null) refresher.refreshIds(ids);
      });
      refreshNow = refresher.refreshNow;
      refresher.refreshAll();
      return () => {
        stopListening();
        refresher.stop();
        refreshNow = () => undefined;
      };
    },
    setView(now: ListView) {
      const reachedTop = now.isAtTop && !view.isAtTop;
      view = now;
      if (reachedTop) showWaiting();
      const { shown, next, isLoaded, error } = store.getState();
      const nearEnd = isLoaded && next !== null && now.last >= shown.length - FIRST_PAGE_SIZE / 2;
      const seen = { first: shown[now.first], last: shown[Math.min(now.last, shown.length - 1)] };
      if (error === null && (nearEnd || stalePageInView(pages, seen, source))) refreshNow();
    },
    showWaiting() {
      view = { first: 0, last: view.last - view.first, isAtTop: true };
      showWaiting();
    },
    refresh() {
      pages = pages.map((page) => ({ ...page, isStale: true }));
      refreshNow();
    },
  });
}
