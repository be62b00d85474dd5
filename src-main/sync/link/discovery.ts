// Finds devices in the local network by mDNS and announces this one while it listens. Announcements
// are not trusted: only the key of a connected device proves its identity. Pairing also works without
// mDNS, by link or address.
import { isIP } from 'node:net';
import type { Bonjour, Browser, Service } from 'bonjour-service';
import type { Logger } from 'pino';
import { formatAddress } from '#shared/sync/address.ts';
import { DEVICE_ID } from '#shared/sync/device-id.ts';
import { MAX_NAME_LENGTH, MAX_NEARBY, MAX_PEER_ADDRESSES } from '#shared/limits.ts';

const TYPE = 'holdfast';

export interface NearbyDevice {
  readonly deviceId: string;
  /** From the announcement, so not trusted. */
  readonly name: string;
  readonly addresses: readonly string[];
  /** It announces that it waits for a comparison. */
  readonly isWaiting: boolean;
}

export interface Announcement {
  readonly deviceId: string;
  readonly name: string;
  readonly port: number;
  readonly isWaiting: boolean;
}

export class Discovery {
  readonly #log: Logger;
  readonly #onSeen: (device: NearbyDevice) => void;
  #bonjour: Promise<Bonjour | null> | null = null;
  #browser: Browser | null = null;
  #announced = '';

  constructor(log: Logger, onSeen: (device: NearbyDevice) => void) {
    this.#log = log;
    this.#onSeen = onSeen;
  }

  /** Starts browsing. */
  async browse(): Promise<void> {
    const bonjour = await this.#open();
    if (!bonjour || this.#browser) return this.#browser?.update();
    const browser = bonjour.find({ type: TYPE });
    this.#browser = browser;
    for (const event of ['up', 'txt-update', 'srv-update'] as const) {
      browser.on(event, (service: Service) => {
        const device = readService(service);
        if (device) this.#onSeen(device);
      });
    }
  }

  nearby(): NearbyDevice[] {
    const services = this.#browser?.services ?? [];
    return services.slice(0, MAX_NEARBY).flatMap((service) => readService(service) ?? []);
  }

  /** Null ends the announcement. */
  async announce(announcement: Announcement | null): Promise<void> {
    const text = JSON.stringify(announcement);
    if (text === this.#announced || (!announcement && !this.#bonjour)) return;
    this.#announced = text;
    const bonjour = await this.#open();
    if (!bonjour) return;
    await new Promise<void>((resolve) => bonjour.unpublishAll(() => resolve()));
    // A later call announces instead.
    if (!announcement || this.#announced !== text) return;
    const { deviceId, name, port, isWaiting } = announcement;
    const txt = { id: deviceId, name, waiting: isWaiting ? '1' : '0' };
    // Device ids are unique, so no probe for name conflicts is needed.
    bonjour.publish({ name: deviceId, type: TYPE, port, txt, probe: false });
  }

  async stop(): Promise<void> {
    const bonjour = await this.#bonjour;
    this.#bonjour = Promise.resolve(null);
    this.#browser?.stop();
    this.#browser = null;
    if (!bonjour) return;
    await new Promise<void>((resolve) => bonjour.unpublishAll(() => resolve()));
    await new Promise<void>((resolve) => bonjour.destroy(() => resolve()));
  }

  #open(): Promise<Bonjour | null> {
    this.#bonjour ??= this.#start().catch((error: unknown) => this.#disable(error));
    return this.#bonjour;
  }

  async #start(): Promise<Bonjour> {
    const { Bonjour: Service } = await import('bonjour-service');
    const bonjour = new Service({}, (error: Error) => void this.#disable(error));
    // The library's socket has no error listener; without one, a port conflict would crash the host.
    const { mdns } = (bonjour as unknown as { server: { mdns: NodeJS.EventEmitter } }).server;
    mdns.on('error', (error: Error) => void this.#disable(error));
    return bonjour;
  }

  #disable(error: unknown): null {
    this.#log.warn({ err: error }, 'mDNS is not available; nearby devices cannot be found');
    return null;
  }
}

/** Null when it is not a valid Holdfast announcement. */
export function readService(service: {
  readonly txt?: unknown;
  readonly port: number;
  readonly addresses?: readonly string[] | undefined;
}): NearbyDevice | null {
  const txt = (service.txt ?? {}) as { id?: unknown; name?: unknown; waiting?: unknown };
  const { port } = service;
  if (typeof txt.id !== 'string' || !DEVICE_ID.test(txt.id)) return null;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null;
  const addresses = (service.addresses ?? [])
    .filter((host) => isIP(host) !== 0 && !host.startsWith('fe80:'))
    .slice(0, MAX_PEER_ADDRESSES)
    .map((host) => formatAddress({ host, port }));
  if (addresses.length === 0) return null;
  const name = typeof txt.name === 'string' ? txt.name.trim().slice(0, MAX_NAME_LENGTH) : '';
  return {
    deviceId: txt.id,
    name: name || txt.id,
    addresses,
    isWaiting: txt.waiting === '1',
  };
}
