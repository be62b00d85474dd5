// The device that a person means: by its name, or by the beginning of its id.
import type { HostCalls } from '#main/cli/host-client.ts';
import { shortId } from '#main/cli/print.ts';
import type { DeviceView } from '#shared/api/devices.ts';
import { ApiError } from '#shared/api/errors.ts';

export const DEVICE = 'its name, or the beginning of its id';

export async function findPairedDevice(host: HostCalls, text: string): Promise<DeviceView> {
  const { devices } = await host.call('devices.list', {});
  const paired = devices.filter(({ state }) => state === 'linked' || state === 'away');
  const named = paired.filter(({ name }) => name === text);
  const fitting = named.length > 0 ? named : paired.filter(({ id }) => id.startsWith(text));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  const message = only
    ? `More than one device is meant by "${text}": ${fitting.map(({ id }) => shortId(id)).join(', ')}. Nothing was done. Say it by the beginning of its id.`
    : `No device "${text}" is paired with this one. See which are with "holdfast devices".`;
  throw new ApiError({ type: 'not_found', message });
}
