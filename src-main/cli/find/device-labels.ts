// Devices as a person reads them.
import type { HostClient } from '#main/cli/host-client.ts';
import { oneLine } from '#main/cli/print.ts';
import { shortDeviceId } from '#shared/device-names.ts';

export const DEVICE_HELP = 'Name of the device, or the beginning of its id';

/** Each device's unique name; "this device" for the host's own; the short id of an unknown one. */
export type DeviceLabels = (deviceId: string | null) => string;

export async function loadDeviceLabels(host: HostClient): Promise<DeviceLabels> {
  const { devices } = await host.call('devices.list', {});
  const labels = new Map(
    devices.map(({ id, name, state }) => [id, state === 'this' ? 'this device' : oneLine(name)]),
  );
  return (deviceId) =>
    deviceId === null
      ? 'no known device'
      : (labels.get(deviceId) ?? `the device ${shortDeviceId(deviceId)}`);
}
