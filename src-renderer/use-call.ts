// A live reply to one call, reloaded when the feed names one of its tables.
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { FeedTable } from '#shared/api/feed.ts';
import { useAnswer, type LiveAnswer } from '#renderer/use-answer.ts';

export type CallAnswer<Name extends CallName> = LiveAnswer<CallOutput<Name>>;

export function useCall<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  tables: readonly FeedTable[] = [],
  slowTables: readonly FeedTable[] = [],
): CallAnswer<Name> {
  return useAnswer(
    (client) => client.call(name, input),
    Object.fromEntries([
      ...slowTables.map((table) => [table, 'slow']),
      ...tables.map((table) => [table, 'any']),
    ]),
    [name, JSON.stringify(input), tables.join(), slowTables.join()],
  );
}
