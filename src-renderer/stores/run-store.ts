// One handler run with its effect, events and history.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage, FeedTable } from '#shared/api/feed.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';
import { changedIds } from '#renderer/stores/feed-changes.ts';
import { createRefresher } from '#renderer/stores/refresher.ts';

export interface RunStoreState {
  readonly run: HandlerRunDetail | null;
  readonly error: ApiError | null;
}

export interface RunStore extends StoreApi<RunStoreState> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  refresh(): void;
}

export function createRunStore(client: HostClient, feed: FeedConnection, runId: string): RunStore {
  const store = createStore<RunStoreState>(() => ({ run: null, error: null }));
  const effectId = mutationId(runId);
  let refreshNow = (): void => undefined;

  const fetchRun = async (): Promise<void> => {
    try {
      const run = await client.call('handlerRuns.get', { handlerRunId: runId });
      store.setState({ run, error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };

  const isInvalidatedBy = (message: FeedMessage): boolean => {
    const { run } = store.getState();
    const includesAny = (table: FeedTable, ids: readonly string[] | 'any'): boolean => {
      const changed = changedIds(message, table);
      if (changed === null || changed === 'many' || ids === 'any') return changed !== null;
      return changed.some((id) => ids.includes(id));
    };
    const events = [...(run?.eventsIn ?? []), ...(run?.eventsOut ?? [])].map(({ id }) => id);
    return (
      // The link to a retry is in the retry's own row.
      includesAny('handler_runs', mayBeRetried(run) ? 'any' : [runId]) ||
      includesAny('mutations', [effectId]) ||
      includesAny('events', events) ||
      // Decisions are rare, and the feed doesn't name their effect.
      (run?.mutation != null && includesAny('resolutions', 'any'))
    );
  };

  return Object.assign(store, {
    open() {
      const refresher = createRefresher(fetchRun);
      const stopListening = feed.listen((message) => {
        if (isInvalidatedBy(message)) refresher.refreshAll();
      });
      refreshNow = () => {
        refresher.refreshAll();
        refresher.refreshNow();
      };
      refresher.refreshAll();
      return () => {
        stopListening();
        refresher.stop();
        refreshNow = () => undefined;
      };
    },
    refresh: () => refreshNow(),
  });
}

const mayBeRetried = (run: HandlerRunDetail | null): boolean =>
  run !== null && run.phase === 'failed' && run.retriedBy === null;
