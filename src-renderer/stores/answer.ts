// One reply of the host, reloaded when the feed says it may be stale.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedMessage, FeedTable } from '#shared/api/feed.ts';
import type { Live } from '#renderer/live.ts';
import { toApiError } from '#renderer/stores/api-failure.ts';
import { concerns } from '#renderer/stores/feed-rows.ts';
import { createRefresher, WIDE_ROUND_DISTANCE_MS } from '#renderer/stores/refresher.ts';

export interface AnswerState<Answer> {
  readonly answer: Answer | null;
  readonly error: ApiError | null;
}

export interface AnswerStore<Answer> extends StoreApi<AnswerState<Answer>> {
  /** Loads and follows the feed until the returned function is called. */
  open(): () => void;
  refresh(): void;
}

/**
 * Ids per table that make the reply stale. `any` if the feed doesn't name the relevant ids, `slow`
 * if the table changes constantly and reloads must be throttled.
 */
export type Concern = { readonly [table in FeedTable]?: readonly string[] | 'any' | 'slow' };
/** For a concern that depends on the reply itself. */
export type ConcernOf<Answer> = (answer: Answer | null) => Concern;

export function createAnswerStore<Answer>(
  live: Live,
  ask: () => Promise<Answer>,
  concern: Concern | ConcernOf<Answer>,
  distanceMs?: number,
): AnswerStore<Answer> {
  const store = createStore<AnswerState<Answer>>(() => ({ answer: null, error: null }));
  let refreshNow = (): void => undefined;
  const round = async (): Promise<void> => {
    try {
      store.setState({ answer: await ask(), error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };
  return Object.assign(store, {
    open() {
      const refresher = createRefresher(round, distanceMs);
      const slow = createRefresher(async () => refresher.everything(), WIDE_ROUND_DISTANCE_MS);
      const stopListening = live.listen((message) => {
        const now = typeof concern === 'function' ? concern(store.getState().answer) : concern;
        if (isConcerned(message, now)) refresher.everything();
        else if (isSlowlyConcerned(message, now)) slow.everything();
      });
      refreshNow = () => {
        refresher.everything();
        refresher.nudge();
      };
      refresher.everything();
      return () => {
        stopListening();
        refresher.stop();
        slow.stop();
        refreshNow = () => undefined;
      };
    },
    refresh: () => refreshNow(),
  });
}

function isConcerned(message: FeedMessage, concern: Concern): boolean {
  // After a gap (hello, resync) anything may be stale.
  if (message.type !== 'changes') return true;
  return (Object.keys(concern) as FeedTable[]).some((table) => {
    const named = concerns(message, table);
    const ids = concern[table];
    if (named === null || ids === undefined || ids === 'slow') return false;
    return named === 'many' || ids === 'any' || named.some((id) => ids.includes(id));
  });
}

function isSlowlyConcerned(message: FeedMessage, concern: Concern): boolean {
  return (Object.keys(concern) as FeedTable[]).some(
    (table) => concern[table] === 'slow' && concerns(message, table) !== null,
  );
}
