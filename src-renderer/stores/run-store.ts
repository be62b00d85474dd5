// One handler run with its effect, events and history.
import type { HostClient } from '#shared/api/client.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';
import { createLiveQuery, type LiveQueryStore } from '#renderer/stores/live-query.ts';

export function createRunStore(
  client: HostClient,
  feed: FeedConnection,
  runId: string,
): LiveQueryStore<HandlerRunDetail> {
  const effectId = mutationId(runId);
  return createLiveQuery<HandlerRunDetail>(
    feed,
    () => client.call('handlerRuns.get', { handlerRunId: runId }),
    (run) => ({
      // The link to a retry is in the retry's own row.
      handler_runs: mayBeRetried(run) ? 'any' : [runId],
      mutations: [effectId],
      events: [...(run?.eventsIn ?? []), ...(run?.eventsOut ?? [])].map(({ id }) => id),
      // Decisions are rare, and the feed doesn't name their effect.
      ...(run?.mutation == null ? {} : { resolutions: 'any' }),
    }),
  );
}

const mayBeRetried = (run: HandlerRunDetail | null): boolean =>
  run !== null && run.phase === 'failed' && run.retriedBy === null;
