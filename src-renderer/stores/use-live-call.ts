// A live reply to one call, reloaded when the feed says it may be stale.
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import type { DependenciesOf, QueryDependencies } from '#renderer/stores/live-query.ts';
import { useLiveQuery, type LiveQuery } from '#renderer/stores/use-live-query.ts';

export type LiveCall<Name extends CallName> = LiveQuery<CallOutput<Name>>;

/** The dependencies may follow from the input and the reply only. */
export function useLiveCall<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  dependencies: QueryDependencies | DependenciesOf<CallOutput<Name>> = {},
  intervalMs?: number,
): LiveCall<Name> {
  return useLiveQuery(
    (client) => client.call(name, input),
    dependencies,
    [name, JSON.stringify(input)],
    intervalMs,
  );
}
