// An answer of the host for as long as a component shows it.
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import type { HostClient } from '#shared/api/client.ts';
import {
  createLiveQuery,
  type QueryState,
  type QueryDependencies,
  type DependenciesOf,
} from '#renderer/stores/live-query.ts';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export type LiveQuery<Answer> = QueryState<Answer> & { readonly refresh: () => void };

/** `keys`: what it is about; another one is another answer. */
export function useLiveQuery<Answer>(
  fetchAnswer: (client: HostClient) => Promise<Answer>,
  dependencies: QueryDependencies | DependenciesOf<Answer>,
  keys: readonly unknown[],
  intervalMs?: number,
): LiveQuery<Answer> {
  const { client, feed } = useApp();
  const store = useOpenStore(
    () => createLiveQuery(feed, () => fetchAnswer(client), dependencies, intervalMs),
    [client, feed, ...keys],
  );
  return { ...useStore(store), refresh: store.refresh };
}
