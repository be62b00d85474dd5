// The whole inbox. It is short, and the host collects it from many tables.
import type { HostClient } from '#shared/api/client.ts';
import { INBOX_TABLES, type InboxItem } from '#shared/api/inbox.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { createLiveQuery, type LiveQueryStore } from '#renderer/stores/live-query.ts';
import { SLOW_REFRESH_INTERVAL_MS } from '#renderer/stores/refresher.ts';

export type InboxStore = LiveQueryStore<readonly InboxItem[]>;

export function createInboxStore(client: HostClient, feed: FeedConnection): InboxStore {
  return createLiveQuery<readonly InboxItem[]>(
    feed,
    async () => (await client.call('inbox.list', {})).items,
    Object.fromEntries(INBOX_TABLES.map((table) => [table, 'any'])),
    SLOW_REFRESH_INTERVAL_MS,
  );
}
