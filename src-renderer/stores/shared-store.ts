// A store shared by several pages. It stays open for a while after the last page closed, so that
// moving between pages shows data immediately and sends no requests.
import { useEffect } from 'react';
import type { HostClient } from '#shared/api/client.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import type { FeedConnection } from '#renderer/client/feed-connection.ts';

const LINGER_MS = 30_000;

interface OpenableStore {
  open(): () => void;
}

class SharedStore<Store extends OpenableStore> {
  readonly store: Store;
  #readers = 0;
  #close: (() => void) | null = null;
  #lingering: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.store = store;
  }

  retain(): () => void {
    clearTimeout(this.#lingering);
    this.#close ??= this.store.open();
    this.#readers += 1;
    return () => {
      this.#readers -= 1;
      if (this.#readers === 0) this.#lingering = setTimeout(() => this.#end(), LINGER_MS);
    };
  }

  #end(): void {
    this.#close?.();
    this.#close = null;
  }
}

/** Creates a hook that returns the app's single store. */
export function sharedStore<Store extends OpenableStore>(
  create: (client: HostClient, feed: FeedConnection) => Store,
): () => Store {
  const known = new WeakMap<HostClient, SharedStore<Store>>();
  return () => {
    const { client, feed } = useApp();
    let shared = known.get(client);
    if (!shared) {
      shared = new SharedStore(create(client, feed));
      known.set(client, shared);
    }
    const current = shared;
    useEffect(() => current.retain(), [current]);
    return current.store;
  };
}
