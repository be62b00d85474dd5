// The answer to a call, for as long as what shows it is there.
import { useStore } from 'zustand';
import type { CallInput, CallName } from '#shared/api/contract.ts';
import type { FeedTable } from '#shared/api/feed.ts';
import { useApp } from '#renderer/app-context.tsx';
import { createAnswerStore, type AnswerState } from '#renderer/stores/answer.ts';
import { useOpenStore } from '#renderer/use-open-store.ts';

export interface Answer<Name extends CallName> extends AnswerState<Name> {
  refresh(): void;
}

export function useAnswer<Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
  tables: readonly FeedTable[] = [],
  slowTables: readonly FeedTable[] = [],
): Answer<Name> {
  const { client, live } = useApp();
  const shown = [client, live, name, JSON.stringify(input), tables.join(), slowTables.join()];
  const store = useOpenStore(
    () => createAnswerStore(client, live, name, input, tables, slowTables),
    shown,
  );
  const state = useStore(store);
  return { ...state, refresh: store.refresh };
}
