// Device names for sentences.
import type { DeviceView } from '#shared/api/devices.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { useDevices as useAllDevices } from '#renderer/devices/use-devices.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';

export interface DeviceLabels {
  readonly all: readonly DeviceView[];
  /** "this device" for the host's own device. */
  labelOf(deviceId: string | null): string;
}

export function useDeviceLabels(): DeviceLabels {
  const all = useAllDevices();
  return {
    all,
    labelOf: (deviceId) => {
      if (deviceId === null) return workflowText.card.nobody;
      const device = all.find(({ id }) => id === deviceId);
      if (device?.state === 'this') return workflowText.card.thisDevice;
      return device?.name ?? shortId(deviceId);
    },
  };
}
