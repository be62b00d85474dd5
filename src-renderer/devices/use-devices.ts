// What the devices are called, for whoever shows one.
import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { DeviceView } from '#shared/api/devices.ts';
import { sharedStore } from '#renderer/stores/shared-store.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { createLiveQuery } from '#renderer/stores/live-query.ts';
import { text } from '#renderer/text/text.ts';

const useDevicesStore = sharedStore((client, feed) =>
  createLiveQuery(feed, () => client.call('devices.list', {}), { devices: 'any' }),
);

/** None until the host has told: names only make it nicer, the ids say the same. */
export function useDevices(): readonly DeviceView[] {
  const answer = useStore(useDevicesStore(), (state) => state.answer);
  return useMemo(() => answer?.devices ?? [], [answer]);
}

/** Its name, or what is known of it. */
export function useDeviceName(id: string): string {
  const device = useDevices().find((one) => one.id === id);
  if (!device) return shortId(id);
  return device.state === 'this' ? text.app.thisDevice(device.name) : device.name;
}
