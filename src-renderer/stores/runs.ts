// The handler runs that match a filter. A run's row tells the status of its effect, which the feed
// names by the effect's id; that follows from the id of the run.
import type { HostClient } from '#shared/api/client.ts';
import type { FeedMessage } from '#shared/api/feed.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import type { Live } from '#renderer/live.ts';
import type { RunFilter } from '#renderer/router.ts';
import { concerns } from '#renderer/stores/feed-rows.ts';
import { createListStore, type ListStore } from '#renderer/stores/list.ts';

export type RunsStore = ListStore<HandlerRunView>;

export function createRunsStore(client: HostClient, live: Live, filter: RunFilter): RunsStore {
  const { workflowId, sessionId } = filter;
  const effectIds = new Map<string, string>();
  const effectOf = (runId: string): string => {
    const known = effectIds.get(runId);
    if (known !== undefined) return known;
    const id = mutationId(runId);
    effectIds.set(runId, id);
    return id;
  };

  return createListStore<HandlerRunView>(live, {
    async list(page) {
      const { runs, next } = await client.call('handlerRuns.list', {
        ...page,
        ...(workflowId === undefined ? {} : { workflowId }),
        ...(sessionId === undefined ? {} : { scriptRunId: sessionId }),
      });
      return { rows: runs, next };
    },
    get: (handlerRunId) => client.call('handlerRuns.get', { handlerRunId }),
    named(message, known) {
      const runs = concerns(message, 'handler_runs');
      const effects = effectsNamed(message);
      if (runs === 'many' || effects === 'many') return 'many';
      if (effects.length === 0) return runs;
      const ofEffects = known.filter(({ id }) => effects.includes(effectOf(id)));
      return [...new Set([...(runs ?? []), ...ofEffects.map(({ id }) => id)])];
    },
    newestFirst: newestRunFirst,
    matches: (run) =>
      (workflowId === undefined || run.workflowId === workflowId) &&
      (sessionId === undefined || run.scriptRunId === sessionId),
  });
}

const effectsNamed = (message: FeedMessage): readonly string[] | 'many' =>
  concerns(message, 'mutations') ?? [];

/** The order of `handlerRuns.list`: ids sort by time of creation. */
export function newestRunFirst(a: HandlerRunView, b: HandlerRunView): number {
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}
