// State of the runner: enabled or not, and its registry.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import type { ApiError } from '#shared/api/errors.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';

export interface RunnerState {
  readonly overview: CallOutput<'runner.overview'> | null;
  readonly error: ApiError | null;
}

export interface RunnerStore extends StoreApi<RunnerState> {
  open(): () => void;
  refresh(): Promise<void>;
}

/** Loaded on demand and not followed, because only people change the file. */
export function createRunnerStore(client: HostClient): RunnerStore {
  const store = createStore<RunnerState>(() => ({ overview: null, error: null }));
  const refresh = async (): Promise<void> => {
    try {
      store.setState({ overview: await client.call('runner.overview', {}), error: null });
    } catch (error) {
      store.setState({ error: toApiError(error) });
    }
  };
  return Object.assign(store, {
    refresh,
    open() {
      void refresh();
      return () => undefined;
    },
  });
}
