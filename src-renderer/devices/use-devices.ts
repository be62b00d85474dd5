// Device names for display.
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

/** Empty until the host replied. Names are optional; ids are shown until then. */
export function useDevices(): readonly DeviceView[] {
  const answer = useStore(useDevicesStore(), (state) => state.answer);
  return useMemo(() => answer?.devices ?? [], [answer]);
}

/** The device's name, or its short id. */
export function useDeviceName(id: string): string {
  const device = useDevices().find((one) => one.id === id);
  if (!device) return shortId(id);
  return device.state === 'this' ? text.app.thisDevice(device.name) : device.name;
}
