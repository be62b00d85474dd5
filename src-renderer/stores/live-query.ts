// One reply of the host, reloaded when the feed says it may be stale.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage, FeedTable } from '#shared/api/feed.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';
import { changedIds } from '#renderer/stores/feed-changes.ts';
import { createRefresher, SLOW_REFRESH_INTERVAL_MS } from '#renderer/stores/refresher.ts';

export interface QueryState<Answer> {
  readonly answer: Answer | null;
  readonly error: ApiError | null;
}

export interface LiveQueryStore<Answer> extends StoreApi<QueryState<Answer>> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  refresh(): void;
}

/**
 * Ids per table that make the reply stale. `any` if the feed doesn't name the relevant ids, `slow`
 * if the table changes constantly and reloads must be throttled.
 */
export type QueryDependencies = {
  readonly [table in FeedTable]?: readonly string[] | 'any' | 'slow';
};
/** For a concern that depends on the reply itself. */
export type DependenciesOf<Answer> = (answer: Answer | null) => QueryDependencies;

export function createLiveQuery<Answer>(
  feed: FeedConnection,
  fetchAnswer: () => Promise<Answer>,
  dependencies: QueryDependencies | DependenciesOf<Answer>,
  intervalMs?: number,
): LiveQueryStore<Answer> {
  const store = createStore<QueryState<Answer>>(() => ({ answer: null, error: null }));
  let refreshNow = (): void => undefined;
  const fetchOnce = async (): Promise<void> => {
    try {
      store.setState({ answer: await fetchAnswer(), error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };
  return Object.assign(store, {
    open() {
      const refresher = createRefresher(fetchOnce, intervalMs);
      const slow = createRefresher(async () => refresher.refreshAll(), SLOW_REFRESH_INTERVAL_MS);
      const stopListening = feed.listen((message) => {
        const now =
          typeof dependencies === 'function' ? dependencies(store.getState().answer) : dependencies;
        if (isInvalidatedBy(message, now)) refresher.refreshAll();
        else if (isSlowlyInvalidatedBy(message, now)) slow.refreshAll();
      });
      refreshNow = () => {
        refresher.refreshAll();
        refresher.refreshNow();
      };
      refresher.refreshAll();
      return () => {
        stopListening();
        refresher.stop();
        slow.stop();
        refreshNow = () => undefined;
      };
    },
    refresh: () => refreshNow(),
  });
}

function isInvalidatedBy(message: FeedMessage, dependencies: QueryDependencies): boolean {
  // After a gap (hello, resync) anything may be stale.
  if (message.type !== 'changes') return true;
  return (Object.keys(dependencies) as FeedTable[]).some((table) => {
    const changed = changedIds(message, table);
    const ids = dependencies[table];
    if (changed === null || ids === undefined || ids === 'slow') return false;
    return changed === 'many' || ids === 'any' || changed.some((id) => ids.includes(id));
  });
}

function isSlowlyInvalidatedBy(message: FeedMessage, dependencies: QueryDependencies): boolean {
  return (Object.keys(dependencies) as FeedTable[]).some(
    (table) => dependencies[table] === 'slow' && changedIds(message, table) !== null,
  );
}
