// One subscription to the change feed for the whole app. Passes messages to the open stores and
// tracks the connection state.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { FeedMessage } from '#shared/api/feed.ts';

export type Connection =
  | { readonly state: 'connecting' }
  | { readonly state: 'open' }
  /** `since` is when the connection was lost, or null if there never was one. */
  | { readonly state: 'gone'; readonly since: number | null };

export interface FeedConnection {
  readonly connection: StoreApi<Connection>;
  listen(listener: (message: FeedMessage) => void): () => void;
  /**
   * Number of messages so far. A caller that sent its request before subscribing can detect a
   * missed one.
   */
  messageCount(): number;
  /** Connects. The returned function disconnects. */
  start(): () => void;
}

export function createFeedConnection(
  client: HostClient,
  now: () => number = Date.now,
): FeedConnection {
  const connection = createStore<Connection>(() => ({ state: 'connecting' }));
  const listeners = new Set<(message: FeedMessage) => void>();
  let messageCount = 0;
  return {
    connection,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    messageCount: () => messageCount,
    start: () =>
      client.subscribe(
        (message) => {
          messageCount += 1;
          for (const listener of listeners) listener(message);
        },
        (state) => {
          if (state === 'open') connection.setState({ state: 'open' }, true);
          // Stays "gone" while reconnecting; only a successful connection ends it.
          if (state === 'closed') connection.setState(gone(connection.getState(), now()), true);
        },
      ),
  };
}

function gone(before: Connection, now: number): Connection {
  if (before.state === 'gone') return before;
  return { state: 'gone', since: before.state === 'open' ? now : null };
}
