// Sessions that match a filter.
import type { HostClient } from '#shared/api/client.ts';
import type { RunView } from '#shared/api/contract.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import type { SessionFilter } from '#renderer/navigation/router.ts';
import { changedIds } from '#renderer/stores/feed-changes.ts';
import { newestIdFirst } from '#renderer/stores/list/list-rows.ts';
import { createListStore, type ListStore } from '#renderer/stores/list/list-store.ts';

export type SessionsStore = ListStore<RunView>;

export function createSessionsStore(
  client: HostClient,
  feed: FeedConnection,
  filter: SessionFilter,
): SessionsStore {
  return createListStore<RunView>(feed, {
    async list(page) {
      const { runs, next } = await client.call('runs.list', { ...filter, ...page });
      return { rows: runs, next };
    },
    get: (runId) => client.call('runs.get', { runId }),
    changedIds: (message) => changedIds(message, 'script_runs'),
    newestFirst: newestSessionFirst,
    matches: (run) =>
      (filter.workflowId === undefined || run.workflowId === filter.workflowId) &&
      (filter.status === undefined || run.status === filter.status),
  });
}

/** Same order as `runs.list`. */
export function newestSessionFirst(a: RunView, b: RunView): number {
  return b.createdAt - a.createdAt || newestIdFirst(a, b);
}
