// A live reply of the host for as long as the component is mounted.
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import type { HostClient } from '#shared/api/client.ts';
import {
  createAnswerStore,
  type AnswerState,
  type Concern,
  type ConcernOf,
} from '#renderer/stores/answer.ts';
import { useOpenStore } from '#renderer/use-open-store.ts';

export type LiveAnswer<Answer> = AnswerState<Answer> & { readonly refresh: () => void };

/** `shown` identifies the request; a new value makes a new one. */
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
