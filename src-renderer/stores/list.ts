// A live, paged list. Pages load as the reader nears the end and reload when they are stale and
// visible. The scroll position decides when new rows appear.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import type { Live } from '#renderer/live.ts';
import { toApiError, unlessNotFound } from '#renderer/stores/api-failure.ts';
import { FEW_ROWS } from '#renderer/stores/feed-rows.ts';
import {
  FIRST_PAGE,
  HEAD,
  missingFrom,
  NEXT_PAGE,
  stalePageInView,
  type ListAnswer,
  type ListPage,
} from '#renderer/stores/list-pages.ts';
import {
  settle,
  takeIn,
  type ListRows,
  type ListRule,
  type Row,
} from '#renderer/stores/list-rows.ts';
import { createRefresher, type Wanted } from '#renderer/stores/refresher.ts';

export interface ListState<R extends Row> extends ListRows<R> {
  /** True after the first reply. */
  readonly loaded: boolean;
  readonly next: string | null;
  readonly error: ApiError | null;
}

/** Visible rows, by index. */
export interface ListView {
  readonly first: number;
  readonly last: number;
  readonly atTop: boolean;
}

export interface ListStore<R extends Row> extends StoreApi<ListState<R>> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  look(view: ListView): void;
  /** Shows waiting rows and scrolls to the top. */
  showWaiting(): void;
  refresh(): void;
}

/** Loads rows from the host. */
export interface ListSource<R extends Row> extends ListRule<R> {
  list(page: { readonly limit: number; readonly after?: string }): Promise<ListAnswer<R>>;
  get(id: string): Promise<R>;
  /** The named rows, `many` if any may be stale, or null if the message isn't relevant. */
  named(message: FeedMessage, known: readonly R[]): readonly string[] | 'many' | null;
}

const NOTHING: ListRows<never> = { shown: [], waiting: [], waitingMore: false };

export function createListStore<R extends Row>(live: Live, source: ListSource<R>): ListStore<R> {
  const store = createStore<ListState<R>>(() => ({
    ...NOTHING,
    loaded: false,
    next: null,
    error: null,
  }));
  let pages: readonly ListPage<R>[] = [HEAD];
  let view: ListView = { first: 0, last: 0, atTop: true };
  let nudge = (): void => undefined;

  const firstPage = (): Promise<ListAnswer<R>> => source.list({ limit: FIRST_PAGE });
  // Requested before the page renders, to save time.
  let ahead: { readonly answer: Promise<ListAnswer<R>>; readonly at: number } | null = {
    answer: firstPage(),
    at: live.heard(),
  };
  // The error is reported when the list is opened. A list that is never opened ignores it.
  ahead.answer.catch(() => undefined);

  const list = (after: string | undefined): Promise<ListAnswer<R>> => {
    if (after !== undefined) return source.list({ limit: NEXT_PAGE, after });
    const asked = ahead;
    ahead = null;
    return asked?.at === live.heard() ? asked.answer : firstPage();
  };

  const apply = (fresh: readonly R[]): void => {
    const state = store.getState();
    const rows = takeIn(state, fresh, {
      rule: source,
      complete: state.loaded && state.next === null,
    });
    store.setState(view.atTop ? settle(rows, source) : rows);
  };

  const fetchRows = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += FEW_ROWS) {
      const few = ids.slice(from, from + FEW_ROWS);
      const rows = await Promise.all(few.map((id) => unlessNotFound(source.get(id))));
      apply(rows.filter((row) => row !== null));
    }
  };

  const beginWith = ({ rows, next }: ListAnswer<R>): void => {
    pages = [{ ...HEAD, first: rows[0], stale: false }];
    store.setState({ ...NOTHING, shown: rows, next, loaded: true });
  };

  const fetchAgain = async (page: ListPage<R>): Promise<void> => {
    const answer = await list(page.after);
    // The list restarted meanwhile.
    if (!pages.includes(page)) return;
    const { loaded, shown, waiting } = store.getState();
    const came = new Set(answer.rows.map(({ id }) => id));
    const isKnown = [shown, waiting].some((known) => known.some(({ id }) => came.has(id)));
    const anew = page.after === undefined && !isKnown;
    if (!loaded || shown.length === 0 || (anew && view.atTop)) return beginWith(answer);
    pages = pages.map((one) => (one === page ? { ...one, stale: false } : one));
    apply(answer.rows);
    if (anew && answer.next !== null) store.setState({ waitingMore: true });
    await followUp(missingFrom(page, answer, shown, source));
  };

  /** Rows that no longer match leave the list only if that moves nothing. */
  const followUp = async (missing: readonly R[]): Promise<void> => {
    const leaving = missing.filter((row) => source.matches(row));
    if (leaving.length === 0) return;
    if (!view.atTop) return fetchRows(leaving.map(({ id }) => id));
    const gone = new Set(leaving);
    store.setState(({ shown }) => ({ shown: shown.filter((row) => !gone.has(row)) }));
  };

  const fetchNext = async (after: string): Promise<void> => {
    const answer = await list(after);
    const { shown, next } = store.getState();
    if (next !== after) return;
    const last = shown.at(-1);
    pages = [...pages, { after, first: answer.rows[0], stale: false }];
    store.setState({
      shown: [...shown, ...answer.rows.filter((row) => !last || source.newestFirst(last, row) < 0)],
      next: answer.next,
    });
  };

  /** One request at a time, until nothing visible is missing or stale. */
  const fetchWhatIsSeen = async (): Promise<void> => {
    for (;;) {
      const { shown, next, loaded } = store.getState();
      const seen = { first: shown[view.first], last: shown[Math.min(view.last, shown.length - 1)] };
      const stale = stalePageInView(pages, seen, source);
      if (stale) await fetchAgain(stale);
      else if (loaded && next !== null && view.last >= shown.length - FIRST_PAGE / 2)
        await fetchNext(next);
      else return;
    }
  };

  const round = async ({ everything, ids }: Wanted): Promise<void> => {
    try {
      if (everything || ids.size > FEW_ROWS)
        pages = pages.map((page) => ({ ...page, stale: true }));
      else await fetchRows([...ids]);
      await fetchWhatIsSeen();
      store.setState({ error: null });
    } catch (error) {
      // Everything stays stale, so the next refresh loads all that is visible.
      pages = pages.map((page) => ({ ...page, stale: true }));
      store.setState({ error: toApiError(error) });
    }
  };

  const showWaiting = (): void => {
    if (store.getState().waitingMore) {
      pages = [HEAD];
      store.setState({ ...NOTHING, loaded: false, next: null });
      nudge();
    } else store.setState(settle(store.getState(), source));
  };

  return Object.assign(store, {
    open() {
      const refresher = createRefresher(round);
      const stopListening = live.listen((message) => {
        const { shown, waiting } = store.getState();
        const ids = source.named(message, [...shown, ...waiting]);
        if (ids === 'many') refresher.everything();
        else if (ids !== null) refresher.ids(ids);
      });
      nudge = refresher.nudge;
      refresher.everything();
      return () => {
        stopListening();
        refresher.stop();
        nudge = () => undefined;
      };
    },
    look(now: ListView) {
      const reachedTop = now.atTop && !view.atTop;
      view = now;
      if (reachedTop) showWaiting();
      const { shown, next, loaded, error } = store.getState();
      const nearEnd = loaded && next !== null && now.last >= shown.length - FIRST_PAGE / 2;
      const seen = { first: shown[now.first], last: shown[Math.min(now.last, shown.length - 1)] };
      if (error === null && (nearEnd || stalePageInView(pages, seen, source))) nudge();
    },
    showWaiting() {
      view = { first: 0, last: view.last - view.first, atTop: true };
      showWaiting();
    },
    refresh() {
      pages = pages.map((page) => ({ ...page, stale: true }));
      nudge();
    },
  });
}
