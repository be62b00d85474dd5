// Device names for sentences.
import type { DeviceView } from '#shared/api/devices.ts';
import { shortId } from '#renderer/short-id.ts';
import { useDevices as useAllDevices } from '#renderer/stores/device-names.ts';
import { flowText } from '#renderer/text/workflows-text.ts';

export interface Devices {
  readonly all: readonly DeviceView[];
  /** "this device" for the host's own device. */
  name(deviceId: string | null): string;
}

export function useDevices(): Devices {
  const all = useAllDevices();
  return {
    all,
    name: (deviceId) => {
      if (deviceId === null) return flowText.card.nobody;
      const device = all.find(({ id }) => id === deviceId);
      if (device?.state === 'this') return flowText.card.thisDevice;
      return device?.name ?? shortId(deviceId);
    },
  };
}
