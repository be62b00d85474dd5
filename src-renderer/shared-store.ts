// A store shared by several pages. It stays open for a while after the last page closed, so that
// moving between pages shows data immediately and sends no requests.
import { useEffect } from 'react';
import type { HostClient } from '#shared/api/client.ts';
import { useApp } from '#renderer/app-context.tsx';
import type { Live } from '#renderer/live.ts';

const LINGER_MS = 30_000;

interface Openable {
  open(): () => void;
}

class Shared<Store extends Openable> {
  readonly store: Store;
  #readers = 0;
  #close: (() => void) | null = null;
  #lingering: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store) {
    this.store = store;
  }

  read(): () => void {
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
export function sharedStore<Store extends Openable>(
  create: (client: HostClient, live: Live) => Store,
): () => Store {
  const known = new WeakMap<HostClient, Shared<Store>>();
  return () => {
    const { client, live } = useApp();
    let shared = known.get(client);
    if (!shared) {
      shared = new Shared(create(client, live));
      known.set(client, shared);
    }
    const there = shared;
    useEffect(() => there.read(), [there]);
    return there.store;
  };
}
