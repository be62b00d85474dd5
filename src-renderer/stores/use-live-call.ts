// A live reply to one call, reloaded when the feed names one of its tables.
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { FeedTable } from '#shared/api/feed.ts';
import { useLiveQuery, type LiveQuery } from '#renderer/stores/use-live-query.ts';

export type LiveCall<Name extends CallName> = LiveQuery<CallOutput<Name>>;

export function useLiveCall<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  tables: readonly FeedTable[] = [],
  slowTables: readonly FeedTable[] = [],
): LiveCall<Name> {
  return useLiveQuery(
    (client) => client.call(name, input),
    Object.fromEntries([
      ...slowTables.map((table) => [table, 'slow']),
      ...tables.map((table) => [table, 'any']),
    ]),
    [name, JSON.stringify(input), tables.join(), slowTables.join()],
  );
}
