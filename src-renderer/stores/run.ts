// One handler run with its effect, events and history.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage, FeedTable } from '#shared/api/feed.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import type { Live } from '#renderer/live.ts';
import { toApiError } from '#renderer/stores/api-failure.ts';
import { concerns } from '#renderer/stores/feed-rows.ts';
import { createRefresher } from '#renderer/stores/refresher.ts';

export interface RunState {
  readonly run: HandlerRunDetail | null;
  readonly error: ApiError | null;
}

export interface RunStore extends StoreApi<RunState> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  refresh(): void;
}

export function createRunStore(client: HostClient, live: Live, runId: string): RunStore {
  const store = createStore<RunState>(() => ({ run: null, error: null }));
  const effectId = mutationId(runId);
  let refreshNow = (): void => undefined;

  const round = async (): Promise<void> => {
    try {
      const run = await client.call('handlerRuns.get', { handlerRunId: runId });
      store.setState({ run, error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };

  const isConcerned = (message: FeedMessage): boolean => {
    const { run } = store.getState();
    const names = (table: FeedTable, ids: readonly string[] | 'any'): boolean => {
      const named = concerns(message, table);
      if (named === null || named === 'many' || ids === 'any') return named !== null;
      return named.some((id) => ids.includes(id));
    };
    const events = [...(run?.eventsIn ?? []), ...(run?.eventsOut ?? [])].map(({ id }) => id);
    return (
      // The link to a retry is in the retry's own row.
      names('handler_runs', mayBeRetried(run) ? 'any' : [runId]) ||
      names('mutations', [effectId]) ||
      names('events', events) ||
      // Decisions are rare, and the feed doesn't name their effect.
      (run?.mutation != null && names('resolutions', 'any'))
    );
  };

  return Object.assign(store, {
    open() {
      const refresher = createRefresher(round);
      const stopListening = live.listen((message) => {
        if (isConcerned(message)) refresher.everything();
      });
      refreshNow = () => {
        refresher.everything();
        refresher.nudge();
      };
      refresher.everything();
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
