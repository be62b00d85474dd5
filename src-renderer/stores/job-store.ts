// One job with its log. The feed announces more log; each request continues at the last offset.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import { LogScreen, type LogLine } from '#shared/runner/log-screen.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';
import { isChanged } from '#renderer/stores/feed-changes.ts';
import { createRefresher } from '#renderer/stores/refresher.ts';

export interface JobState {
  readonly job: CallOutput<'jobs.get'> | null;
  readonly lines: readonly LogLine[];
  /** Number of lines dropped from the start. */
  readonly dropped: number;
  readonly error: ApiError | null;
}

export interface JobStore extends StoreApi<JobState> {
  open(): () => void;
  refresh(): void;
}

/** Throttle for a log that is written constantly. Fast enough to read along. */
const LOG_INTERVAL_MS = 50;

/** Further behind than this, only the end is loaded. */
const MAX_BEHIND = 4 * 1024 * 1024;

export function createJobStore(client: HostClient, feed: FeedConnection, jobId: string): JobStore {
  const store = createStore<JobState>(() => ({ job: null, lines: [], dropped: 0, error: null }));
  const screen = new LogScreen();
  let offset = 0;
  let refresh = (): void => undefined;

  const fetchJob = async (): Promise<void> => {
    try {
      store.setState({ job: await client.call('jobs.get', { jobId }), error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };

  const fetchLog = async (): Promise<void> => {
    try {
      for (;;) {
        const part = await client.call('jobs.log', { jobId, offset });
        // A removed log, or one that never started, is shorter than the offset already read.
        if (part.offset === offset) screen.push(part.data);
        const isDone = part.nextOffset === part.endOffset || part.nextOffset === offset;
        offset = Math.max(part.nextOffset, part.endOffset - MAX_BEHIND);
        store.setState({ lines: [...screen.lines], dropped: screen.dropped });
        if (isDone) return;
      }
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };

  return Object.assign(store, {
    open() {
      const row = createRefresher(fetchJob);
      const log = createRefresher(fetchLog, LOG_INTERVAL_MS);
      const stopListening = feed.listen((message) => {
        if (isChanged(message, 'runner_jobs', jobId)) {
          row.refreshAll();
          // The last chunk may have ended in the middle of a character.
          log.refreshAll();
        }
        if (isChanged(message, 'runner_logs', jobId)) log.refreshAll();
      });
      refresh = () => {
        row.refreshAll();
        log.refreshAll();
      };
      refresh();
      return () => {
        stopListening();
        row.stop();
        log.stop();
        refresh = () => undefined;
      };
    },
    refresh: () => refresh(),
  });
}
