// One session: its row, its snapshot, and the visible part of its log. Records are immutable and
// numbered without gaps, so any range can be loaded.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { RunView } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { RunEventRecord, RunSnapshot } from '#shared/run-log.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';
import { isChanged } from '#renderer/stores/feed-changes.ts';
import { createRefresher } from '#renderer/stores/refresher.ts';

export interface SessionState {
  readonly run: RunView | null;
  readonly snapshot: RunSnapshot | null;
  /** A new object after every load, so that readers don't see a stale one. */
  readonly log: { at(runSeq: number): RunEventRecord | undefined };
  readonly runError: ApiError | null;
  readonly logError: ApiError | null;
}

export interface SessionStore extends StoreApi<SessionState> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  /** Reports visible records. Missing ones are loaded. */
  setVisibleRange(firstSeq: number, lastSeq: number): void;
  refresh(): void;
}

const LOG_PAGE = 100;

export function createSessionStore(
  client: HostClient,
  feed: FeedConnection,
  runId: string,
): SessionStore {
  const records = new Map<number, RunEventRecord>();
  const createLogView = (): SessionState['log'] => ({ at: (runSeq) => records.get(runSeq) });
  const store = createStore<SessionState>(() => ({
    run: null,
    snapshot: null,
    log: createLogView(),
    runError: null,
    logError: null,
  }));
  let visible = { first: 1, last: 0 };
  let opened = CLOSED;

  const fetchRun = async (): Promise<void> => {
    try {
      store.setState({ run: await client.call('runs.get', { runId }), runError: null });
    } catch (error) {
      store.setState({ runError: toApiError(error) });
    }
  };

  const fetchLog = async (isFull: boolean): Promise<void> => {
    try {
      if (isFull) store.setState({ snapshot: await client.call('runs.snapshot', { runId }) });
      for (let missing = firstMissing(); missing !== undefined; missing = firstMissing()) {
        const came = await fetchRecords(missing);
        if (came === 0) break;
      }
      store.setState({ logError: null });
    } catch (error) {
      store.setState({ logError: toApiError(error) });
    }
  };

  const firstMissing = (): number | undefined => {
    const last = Math.min(visible.last, store.getState().snapshot?.lastRunSeq ?? 0);
    for (let seq = visible.first; seq <= last; seq += 1) if (!records.has(seq)) return seq;
    return undefined;
  };

  const fetchRecords = async (fromSeq: number): Promise<number> => {
    const answer = await client.call('runs.fetchEvents', {
      runId,
      afterSeq: fromSeq - 1,
      limit: LOG_PAGE,
    });
    for (const record of answer.events) records.set(record.runSeq, record);
    store.setState({ log: createLogView() });
    return records.has(fromSeq) ? answer.events.length : 0;
  };

  return Object.assign(store, {
    open() {
      const row = createRefresher(fetchRun);
      const log = createRefresher(({ isFull }) => fetchLog(isFull));
      const stopListening = feed.listen((message) => {
        if (isChanged(message, 'script_runs', runId)) row.refreshAll();
        if (isChanged(message, 'run_events', runId)) log.refreshAll();
      });
      const refresh = (): void => {
        row.refreshAll();
        log.refreshAll();
      };
      refresh();
      opened = { refresh, nudgeLog: log.refreshNow };
      return () => {
        stopListening();
        row.stop();
        log.stop();
        opened = CLOSED;
      };
    },
    setVisibleRange(firstSeq: number, lastSeq: number) {
      visible = { first: firstSeq, last: lastSeq };
      if (store.getState().logError === null && firstMissing() !== undefined) opened.nudgeLog();
    },
    refresh: () => opened.refresh(),
  });
}

const CLOSED = { refresh: (): void => undefined, nudgeLog: (): void => undefined };
