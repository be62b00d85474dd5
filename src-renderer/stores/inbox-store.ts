// The whole inbox. It is short, and the host collects it from many tables.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { ApiError } from '#shared/api/errors.ts';
import { INBOX_TABLES, type InboxItem } from '#shared/api/inbox.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';
import { changedIds } from '#renderer/stores/feed-changes.ts';
import { createRefresher, SLOW_REFRESH_INTERVAL_MS } from '#renderer/stores/refresher.ts';

export interface InboxState {
  /** Null until the first reply. */
  readonly items: readonly InboxItem[] | null;
  readonly error: ApiError | null;
}

export interface InboxStore extends StoreApi<InboxState> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  /** Skips the throttle, because a person is waiting. */
  refresh(): void;
}

export function createInboxStore(client: HostClient, feed: FeedConnection): InboxStore {
  const store = createStore<InboxState>(() => ({ items: null, error: null }));
  let refreshNow = (): void => undefined;

  const fetchInbox = async (): Promise<void> => {
    try {
      const { items } = await client.call('inbox.list', {});
      store.setState({ items, error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };

  return Object.assign(store, {
    open() {
      const refresher = createRefresher(fetchInbox, SLOW_REFRESH_INTERVAL_MS);
      const stopListening = feed.listen((message) => {
        if (INBOX_TABLES.some((table) => changedIds(message, table) !== null)) {
          refresher.refreshAll();
        }
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
