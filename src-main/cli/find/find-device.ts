// Finds a paired device by its name or an id prefix.
import type { HostClient } from '#main/cli/host-client.ts';
import { shortId } from '#main/cli/print.ts';
import type { DeviceView } from '#shared/api/devices.ts';
import { ApiError } from '#shared/api/errors.ts';

export const DEVICE_HELP = 'Name of the device, or the beginning of its id';

export async function findPairedDevice(host: HostClient, text: string): Promise<DeviceView> {
  const { devices } = await host.call('devices.list', {});
  const paired = devices.filter(({ state }) => state === 'linked' || state === 'away');
  const named = paired.filter(({ name }) => name === text);
  const matches = named.length > 0 ? named : paired.filter(({ id }) => id.startsWith(text));
  const [only] = matches;
  if (only && matches.length === 1) return only;
  const message = only
    ? `"${text}" matches more than one device: ${matches.map(({ id }) => shortId(id)).join(', ')}. Nothing was changed. Use the beginning of one id.`
    : `No paired device is called "${text}". Nothing was changed. See "holdfast devices".`;
  throw new ApiError({ type: 'not_found', message });
}
