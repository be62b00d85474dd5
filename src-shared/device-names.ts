// Names of devices: unique labels for people, and the device that a person means.

interface Named {
  readonly id: string;
  readonly name: string;
}

export type DeviceMatch<Device> =
  | { readonly type: 'one'; readonly device: Device }
  | { readonly type: 'none' }
  | { readonly type: 'many'; readonly devices: readonly Device[] };

/** The beginning of a device's id that is shown to people. */
export function shortDeviceId(id: string): string {
  return id.slice(0, 8);
}

/** Labels by device id: the name, with the short id if another device has the same name. */
export function labelDevices(devices: readonly Named[]): ReadonlyMap<string, string> {
  const byName = Map.groupBy(devices, ({ name }) => name);
  return new Map(
    devices.map(({ id, name }) => [
      id,
      byName.get(name)?.length === 1 ? name : `${name} (${shortDeviceId(id)})`,
    ]),
  );
}

/** Finds a device by its id, its name, its label, or the beginning of its id, in this order. */
export function matchDevice<Device extends Named>(
  devices: readonly Device[],
  text: string,
): DeviceMatch<Device> {
  const labels = labelDevices(devices);
  const ways: readonly ((device: Device) => boolean)[] = [
    ({ id }) => id === text,
    ({ name }) => name === text,
    ({ id }) => labels.get(id) === text,
    ({ id }) => text !== '' && id.startsWith(text),
  ];
  for (const isMeant of ways) {
    const [device, ...others] = devices.filter((one) => isMeant(one));
    if (device && others.length === 0) return { type: 'one', device };
    if (device) return { type: 'many', devices: [device, ...others] };
  }
  return { type: 'none' };
}
