// Handler runs that match a filter. A row includes the effect's status; the feed names the effect,
// whose id derives from the run's id.
import type { HostClient } from '#shared/api/client.ts';
import type { CallInput } from '#shared/api/contract.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { runStateOf, searchWords } from '#shared/api/run-search.ts';
import { mutationId } from '#shared/ids.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { toTimeBounds, isWithinBounds } from '#renderer/format/time-range.ts';
import { withoutUndefined } from '#renderer/format/without-undefined.ts';
import type { RunFilter } from '#renderer/navigation/router.ts';
import { changedIds } from '#renderer/stores/feed-changes.ts';
import { newestIdFirst } from '#renderer/stores/list/list-rows.ts';
import { createListStore, type ListStore } from '#renderer/stores/list/list-store.ts';

export type RunsStore = ListStore<HandlerRunView>;

export function createRunsStore(
  client: HostClient,
  feed: FeedConnection,
  filter: RunFilter,
  now: () => number = Date.now,
): RunsStore {
  const { workflowId, sessionId, deviceId, state, text } = filter;
  // Computed once per list, so that rows don't drop out while it is open.
  const bounds = toTimeBounds(filter, now());
  const query = withoutUndefined({
    workflowId,
    scriptRunId: sessionId,
    deviceId,
    state,
    text,
    ...bounds,
  }) as CallInput<'handlerRuns.list'>;
  const effectIds = new Map<string, string>();
  const effectIdOf = (runId: string): string => {
    const known = effectIds.get(runId);
    if (known !== undefined) return known;
    const id = mutationId(runId);
    effectIds.set(runId, id);
    return id;
  };

  return createListStore<HandlerRunView>(feed, {
    async list(page) {
      const { runs, next } = await client.call('handlerRuns.list', { ...page, ...query });
      return { rows: runs, next };
    },
    get: (handlerRunId) => client.call('handlerRuns.get', { handlerRunId }),
    changedIds(message, known) {
      const runs = changedIds(message, 'handler_runs');
      const effects = changedIds(message, 'mutations') ?? [];
      if (runs === 'many' || effects === 'many') return 'many';
      if (effects.length === 0) return runs;
      const ofEffects = known.filter(({ id }) => effects.includes(effectIdOf(id)));
      return [...new Set([...(runs ?? []), ...ofEffects.map(({ id }) => id)])];
    },
    newestFirst: newestIdFirst,
    matches: (run) =>
      (workflowId === undefined || run.workflowId === workflowId) &&
      (sessionId === undefined || run.scriptRunId === sessionId) &&
      (deviceId === undefined || run.deviceId === deviceId) &&
      (state === undefined || runStateOf(run.phase) === state) &&
      isWithinBounds(run.startedAt, bounds) &&
      (text === undefined || matchesSearch(run, text)),
  });
}

/** Same comparison as the host, except that SQLite is case-sensitive for accented letters. */
function matchesSearch(run: HandlerRunView, text: string): boolean {
  const where = [run.title ?? '', run.handlerName, run.workflowName, run.id].map((one) =>
    one.toLowerCase(),
  );
  return searchWords(text.toLowerCase()).every((word) => where.some((one) => one.includes(word)));
}
