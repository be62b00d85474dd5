// An answer of the host for as long as a component shows it.
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import type { HostClient } from '#shared/api/client.ts';
import {
  createAnswerStore,
  type AnswerState,
  type Concern,
  type ConcernOf,
} from '#renderer/stores/live-query.ts';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export type LiveAnswer<Answer> = AnswerState<Answer> & { readonly refresh: () => void };

/** `shown`: what it is about; another one is another answer. */
export function useAnswer<Answer>(
  ask: (client: HostClient) => Promise<Answer>,
  concern: Concern | ConcernOf<Answer>,
  shown: readonly unknown[],
  distanceMs?: number,
): LiveAnswer<Answer> {
  const { client, live } = useApp();
  const store = useOpenStore(
    () => createAnswerStore(live, () => ask(client), concern, distanceMs),
    [client, live, ...shown],
  );
  return { ...useStore(store), refresh: store.refresh };
}
