// The device that a call names: by its full id, by its name, or by an unambiguous beginning of its id.
import type { KnownDevice } from '#main/store/queries/known-devices.ts';
import { ApiError } from '#shared/api/errors.ts';
import { labelDevices, matchDevice } from '#shared/device-names.ts';

export function requireDevice(
  devices: readonly KnownDevice[],
  text: string,
  kind: 'device' | 'paired device',
): KnownDevice {
  const match = matchDevice(devices, text);
  if (match.type === 'one') return match.device;
  if (match.type === 'none') {
    const message = `There is no ${kind} with the name or id "${text}". Nothing was changed. See Devices, or "holdfast devices".`;
    throw new ApiError({ type: 'not_found', message });
  }
  const labels = labelDevices(devices);
  const matches = match.devices.map(({ id }) => labels.get(id)).join(', ');
  throw new ApiError({
    type: 'conflict',
    message: `"${text}" matches more than one device: ${matches}. Nothing was changed. Use enough of one id to tell them apart.`,
  });
}
