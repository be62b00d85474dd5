// Jobs that match a filter.
import type { HostClient } from '#shared/api/client.ts';
import type { RunnerJobView } from '#shared/api/runner.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import type { JobFilter } from '#renderer/navigation/router.ts';
import { changedIds } from '#renderer/stores/feed-changes.ts';
import { newestIdFirst } from '#renderer/stores/list/list-rows.ts';
import { createListStore, type ListStore } from '#renderer/stores/list/list-store.ts';

export function createJobsStore(
  client: HostClient,
  feed: FeedConnection,
  filter: JobFilter,
): ListStore<RunnerJobView> {
  return createListStore<RunnerJobView>(feed, {
    async list(page) {
      const { jobs, next } = await client.call('jobs.list', { ...filter, ...page });
      return { rows: jobs, next };
    },
    get: (jobId) => client.call('jobs.get', { jobId }),
    changedIds: (message) => changedIds(message, 'runner_jobs'),
    newestFirst: newestIdFirst,
    matches: ({ status }) => filter.status === undefined || status === filter.status,
  });
}
