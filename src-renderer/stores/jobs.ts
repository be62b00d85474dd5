// Jobs that match a filter.
import type { HostClient } from '#shared/api/client.ts';
import type { RunnerJobView } from '#shared/api/runner.ts';
import type { Live } from '#renderer/live.ts';
import type { JobFilter } from '#renderer/router.ts';
import { concerns } from '#renderer/stores/feed-rows.ts';
import { createListStore, type ListStore } from '#renderer/stores/list.ts';

export function createJobsStore(
  client: HostClient,
  live: Live,
  filter: JobFilter,
): ListStore<RunnerJobView> {
  return createListStore<RunnerJobView>(live, {
    async list(page) {
      const { jobs, next } = await client.call('jobs.list', { ...filter, ...page });
      return { rows: jobs, next };
    },
    get: (jobId) => client.call('jobs.get', { jobId }),
    named: (message) => concerns(message, 'runner_jobs'),
    newestFirst: (a, b) => (a.id === b.id ? 0 : a.id < b.id ? 1 : -1),
    matches: ({ status }) => filter.status === undefined || status === filter.status,
  });
}
