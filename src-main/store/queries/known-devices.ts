// Every device that this one knows: itself, paired and formerly paired ones, and those of the space.
import type { DeviceStore } from '#main/store/tables/devices.ts';
import type { PeerStore } from '#main/store/tables/peers.ts';
import { labelDevices, shortDeviceId } from '#shared/device-names.ts';

export interface KnownDevice {
  readonly id: string;
  /** As its owner named it; several devices can have the same. */
  readonly name: string;
  /** Paired with this device once, and no longer. */
  readonly isUnpaired: boolean;
}

interface DeviceStores {
  readonly devices: DeviceStore;
  readonly peers: PeerStore;
}

export function knownDevices({ devices, peers }: DeviceStores): KnownDevice[] {
  const described = new Map(devices.list().map(({ id, name }) => [id, name]));
  // A device that was just paired may have no row in `devices` yet.
  const paired = new Map(peers.list().map((peer) => [peer.deviceId, peer]));
  return [...new Set([...described.keys(), ...paired.keys()])].map((id) => ({
    id,
    name: described.get(id) ?? paired.get(id)?.name ?? id,
    isUnpaired: (paired.get(id)?.unpairedAt ?? null) !== null,
  }));
}

/** A device as a person reads it: its name, made unique, or the beginning of an unknown id. */
export function deviceLabel(stores: DeviceStores, id: string): string {
  return labelDevices(knownDevices(stores)).get(id) ?? shortDeviceId(id);
}
