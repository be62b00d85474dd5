// What the devices are called, for whoever shows one. One list for the whole app, asked for when
// it is first needed and again when the feed names devices.
import { useEffect } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { HostClient } from '#shared/api/client.ts';
import { useApp } from '#renderer/app-context.tsx';
import type { Live } from '#renderer/live.ts';
import { shortId } from '#renderer/short-id.ts';
import { concerns } from '#renderer/stores/feed-rows.ts';
import { text } from '#renderer/text.ts';

export interface KnownDevice {
  readonly id: string;
  readonly name: string;
  readonly isThis: boolean;
}

interface DeviceNames extends StoreApi<readonly KnownDevice[]> {
  readers: number;
  stop: () => void;
}

const known = new WeakMap<HostClient, DeviceNames>();

export function useDevices(): readonly KnownDevice[] {
  const { client, live } = useApp();
  const store = storeOf(client);
  useEffect(() => follow(store, client, live), [store, client, live]);
  return useStore(store);
}

/** Its name, or what is known of it. */
export function useDeviceName(id: string): string {
  const device = useDevices().find((one) => one.id === id);
  if (!device) return shortId(id);
  return device.isThis ? text.app.thisDevice(device.name) : device.name;
}

function storeOf(client: HostClient): DeviceNames {
  const there = known.get(client);
  if (there) return there;
  const store = Object.assign(
    createStore<readonly KnownDevice[]>(() => []),
    { readers: 0, stop: () => undefined },
  );
  known.set(client, store);
  return store;
}

function follow(store: DeviceNames, client: HostClient, live: Live): () => void {
  const ask = (): void =>
    void client.call('devices.list', {}).then(
      ({ devices }) =>
        store.setState(
          devices.map(({ id, name, state }) => ({ id, name, isThis: state === 'this' })),
          true,
        ),
      // Names only make it nicer: the ids say the same.
      () => undefined,
    );
  if (store.readers === 0) {
    ask();
    store.stop = live.listen((message) => concerns(message, 'devices') !== null && ask());
  }
  store.readers += 1;
  return () => {
    store.readers -= 1;
    if (store.readers === 0) store.stop();
  };
}
