// The answer to one call, asked for again whenever the feed names a table that it is made from.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import type { FeedTable } from '#shared/api/feed.ts';
import type { Live } from '#renderer/live.ts';
import { toApiError } from '#renderer/stores/api-failure.ts';
import { concerns } from '#renderer/stores/feed-rows.ts';
import { createRefresher, WIDE_ROUND_DISTANCE_MS } from '#renderer/stores/refresher.ts';

export interface AnswerState<Name extends CallName> {
  /** Null until the first one. */
  readonly answer: CallOutput<Name> | null;
  readonly error: ApiError | null;
}

export interface AnswerStore<Name extends CallName> extends StoreApi<AnswerState<Name>> {
  open(): () => void;
  /** A person waits for it: no distance is kept. */
  refresh(): void;
}

export function createAnswerStore<Name extends CallName>(
  client: HostClient,
  live: Live,
  name: Name,
  input: CallInput<Name>,
  tables: readonly FeedTable[] = [],
  /** What it is made of besides: it may change with all that is done, so a distance is kept. */
  slowTables: readonly FeedTable[] = [],
): AnswerStore<Name> {
  const store = createStore<AnswerState<Name>>(() => ({ answer: null, error: null }));
  let refreshNow = (): void => undefined;
  const round = async (): Promise<void> => {
    try {
      store.setState({ answer: await client.call(name, input), error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };
  return Object.assign(store, {
    open() {
      const refresher = createRefresher(round);
      const slow = createRefresher(async () => refresher.everything(), WIDE_ROUND_DISTANCE_MS);
      const stopListening = live.listen((message) => {
        const isAmong = (wanted: readonly FeedTable[]): boolean =>
          wanted.some((table) => concerns(message, table) !== null);
        // After a gap (hello, resync) whatever is shown may be old.
        if (message.type !== 'changes' || isAmong(tables)) refresher.everything();
        else if (isAmong(slowTables)) slow.everything();
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
