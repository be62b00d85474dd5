// The runs that match a filter, as shown. Pages are loaded as the reader comes near the end, and
// asked for again when they are old and seen; the reader's place decides when new rows appear.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { CallOutput, RunView } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { Live } from '#renderer/live.ts';
import type { RunFilter } from '#renderer/router.ts';
import { toApiError, unlessNotFound } from '#renderer/stores/api-failure.ts';
import { concerns, FEW_ROWS } from '#renderer/stores/feed-rows.ts';
import { createRefresher, type Wanted } from '#renderer/stores/refresher.ts';
import {
  HEAD,
  missingFrom,
  NEXT_RUNS_PAGE,
  RUNS_PAGE,
  stalePageInView,
  type RunPage,
} from '#renderer/stores/run-pages.ts';
import { matches, newestFirst, settle, takeIn, type RunRows } from '#renderer/stores/run-rows.ts';

export interface RunsState extends RunRows {
  /** The first answer has come. */
  readonly loaded: boolean;
  readonly next: string | null;
  readonly error: ApiError | null;
}

/** Which rows the reader sees, by their place among the shown. */
export interface RunsView {
  readonly first: number;
  readonly last: number;
  readonly atTop: boolean;
}

export interface RunsStore extends StoreApi<RunsState> {
  /** Asks and follows the feed until the returned function is called. */
  open(): () => void;
  look(view: RunsView): void;
  /** What waits is shown now; the reader is taken to the top. */
  showWaiting(): void;
  refresh(): void;
}

type Answer = CallOutput<'runs.list'>;
const NOTHING: RunRows = { shown: [], waiting: [], waitingMore: false };

export function createRunsStore(client: HostClient, live: Live, filter: RunFilter): RunsStore {
  const store = createStore<RunsState>(() => ({
    ...NOTHING,
    loaded: false,
    next: null,
    error: null,
  }));
  let pages: readonly RunPage[] = [HEAD];
  let view: RunsView = { first: 0, last: 0, atTop: true };
  let nudge = (): void => undefined;

  const list = (after: string | undefined): Promise<Answer> =>
    client.call('runs.list', {
      ...filter,
      limit: after ? NEXT_RUNS_PAGE : RUNS_PAGE,
      ...(after ? { after } : {}),
    });

  const apply = (fresh: readonly RunView[]): void => {
    const state = store.getState();
    const rows = takeIn(state, fresh, { filter, complete: state.loaded && state.next === null });
    store.setState(view.atTop ? settle(rows, filter) : rows);
  };

  const fetchRows = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += FEW_ROWS) {
      const few = ids.slice(from, from + FEW_ROWS);
      const rows = await Promise.all(
        few.map((runId) => unlessNotFound(client.call('runs.get', { runId }))),
      );
      apply(rows.filter((row) => row !== null));
    }
  };

  const beginWith = ({ runs, next }: Answer): void => {
    pages = [{ ...HEAD, first: runs[0], stale: false }];
    store.setState({ ...NOTHING, shown: runs, next, loaded: true });
  };

  const fetchAgain = async (page: RunPage): Promise<void> => {
    const answer = await list(page.after);
    // The list began anew meanwhile.
    if (!pages.includes(page)) return;
    const { loaded, shown, waiting } = store.getState();
    const came = new Set(answer.runs.map(({ id }) => id));
    const isKnown = [shown, waiting].some((known) => known.some(({ id }) => came.has(id)));
    const anew = page.after === undefined && !isKnown;
    if (!loaded || shown.length === 0 || (anew && view.atTop)) return beginWith(answer);
    pages = pages.map((one) => (one === page ? { ...one, stale: false } : one));
    apply(answer.runs);
    if (anew && answer.next !== null) store.setState({ waitingMore: true });
    await followUp(missingFrom(page, answer, shown));
  };

  /** They left the filter: they may leave the list only where that moves nothing. */
  const followUp = async (missing: readonly RunView[]): Promise<void> => {
    const leaving = missing.filter((run) => matches(filter, run));
    if (leaving.length === 0) return;
    if (!view.atTop) return fetchRows(leaving.map(({ id }) => id));
    const gone = new Set(leaving);
    store.setState(({ shown }) => ({ shown: shown.filter((run) => !gone.has(run)) }));
  };

  const fetchNext = async (after: string): Promise<void> => {
    const answer = await list(after);
    const { shown, next } = store.getState();
    if (next !== after) return;
    const last = shown.at(-1);
    pages = [...pages, { after, first: answer.runs[0], stale: false }];
    store.setState({
      shown: [...shown, ...answer.runs.filter((run) => !last || newestFirst(last, run) < 0)],
      next: answer.next,
    });
  };

  /** One request at a time, until nothing that is seen is missing or old. */
  const fetchWhatIsSeen = async (): Promise<void> => {
    for (;;) {
      const { shown, next, loaded } = store.getState();
      const seen = { first: shown[view.first], last: shown[Math.min(view.last, shown.length - 1)] };
      const stale = stalePageInView(pages, seen);
      if (stale) await fetchAgain(stale);
      else if (loaded && next !== null && view.last >= shown.length - RUNS_PAGE / 2)
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
      // What it was about stays wanted: the next round asks for all that is seen.
      pages = pages.map((page) => ({ ...page, stale: true }));
      store.setState({ error: toApiError(error) });
    }
  };

  const showWaiting = (): void => {
    if (store.getState().waitingMore) {
      pages = [HEAD];
      store.setState({ ...NOTHING, loaded: false, next: null });
      nudge();
    } else store.setState(settle(store.getState(), filter));
  };

  return Object.assign(store, {
    open() {
      const refresher = createRefresher(round);
      const stopListening = live.listen((message) => {
        const ids = concerns(message, 'script_runs');
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
    look(now: RunsView) {
      const reachedTop = now.atTop && !view.atTop;
      view = now;
      if (reachedTop) showWaiting();
      const { shown, next, loaded, error } = store.getState();
      const nearEnd = loaded && next !== null && now.last >= shown.length - RUNS_PAGE / 2;
      const seen = { first: shown[now.first], last: shown[Math.min(now.last, shown.length - 1)] };
      if (error === null && (nearEnd || stalePageInView(pages, seen))) nudge();
    },
    showWaiting() {
      view = { ...view, first: 0, atTop: true };
      showWaiting();
    },
    refresh() {
      pages = pages.map((page) => ({ ...page, stale: true }));
      nudge();
    },
  });
}
