// The other devices of a host: the network of paired ones, the desk where they are paired, and
// finding them. What the API and the host speak to.
import type { Logger } from 'pino';
import type { DeviceIdentity } from '#main/sync/device-identity.ts';
import { Discovery, type NearbyDevice } from '#main/sync/link/discovery.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import { isLoopback } from '#main/sync/link/own-addresses.ts';
import { PairingDesk } from '#main/sync/link/pairing-server.ts';
import { PairingFailed } from '#main/sync/link/pairing-failed.ts';
import { PeerNetwork } from '#main/sync/link/peer-network.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';
import type { SpaceKeyKeeper } from '#main/sync/space-key.ts';
import type { Space } from '#main/store/tables/space.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { NEARBY_MS } from '#shared/limits.ts';

/** Tried first, so that a firewall can be told; where it is taken, any free one, which is then kept. */
const DEFAULT_PORT = 47_470;
const PORT_SETTING = 'link_port';
/** What changes and is in no row: invitations, comparisons, links. */
const PAIRING_ROW = 'pairing';

export interface LinkPlace {
  /** The address to listen on. Loopback: nobody is looked for by mDNS, either. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

export interface DeviceLinksOptions {
  readonly identity: DeviceIdentity;
  readonly store: StoreContext;
  readonly stores: Stores;
  readonly space: Space;
  readonly spaceKey: SpaceKeyKeeper;
  /** A paired device is linked, whoever dialled. */
  readonly onLink: (link: Link) => void;
  readonly random: () => number;
  readonly log: Logger;
  readonly place: LinkPlace;
}

export class DeviceLinks {
  readonly #options: DeviceLinksOptions;
  readonly #discovery: Discovery | null;
  /** Null without the private key: then there are no links. */
  readonly #open: { readonly network: PeerNetwork; readonly desk: PairingDesk } | null;
  #isBrowsing = false;

  constructor(options: DeviceLinksOptions) {
    this.#options = options;
    const { place, log } = options;
    const host = place.host ?? '::';
    this.#discovery = isLoopback(host)
      ? null
      : new Discovery(log, ({ deviceId, addresses }) =>
          this.#open?.network.sawNearby(deviceId, addresses),
        );
    this.#open = this.#connect(host);
  }

  /** Throws `PairingFailed` where the key of this device cannot be opened. */
  get network(): PeerNetwork {
    return this.#require().network;
  }

  get desk(): PairingDesk {
    return this.#require().desk;
  }

  isLinked(deviceId: string): boolean {
    return this.#open?.network.isLinked(deviceId) ?? false;
  }

  lastEnd(deviceId: string): LinkEnd | null {
    return this.#open?.network.lastEnd(deviceId) ?? null;
  }

  /** Who is paired has changed: links are ended and begun as it says now. */
  peersChanged(): void {
    this.#open?.network.refresh();
  }

  /** From here on paired devices are dialled, and may come. */
  start(): void {
    if (!this.#open) {
      this.#options.log.warn(new PairingFailed('no-key').message);
      return;
    }
    this.#open.network.start();
    if (this.#options.stores.peers.paired().length > 0) void this.#browse();
  }

  /** Who is around. The first look waits a moment for answers. */
  async nearby(): Promise<NearbyDevice[]> {
    if (!this.#discovery) return [];
    if (await this.#browse()) await this.#options.store.clock.sleep(NEARBY_MS);
    const own = this.#options.identity.deviceId;
    return this.#discovery.nearby().filter(({ deviceId }) => deviceId !== own);
  }

  /** What others find has changed: the name, or that this device waits for a comparison. */
  announce(): void {
    const port = this.#open?.network.port ?? null;
    const { identity, stores } = this.#options;
    const { deviceId } = identity;
    const name = stores.devices.get(deviceId)?.name ?? deviceId;
    const isWaiting = this.#open?.desk.isWaiting ?? false;
    void this.#discovery?.announce(port === null ? null : { deviceId, name, port, isWaiting });
  }

  async stop(): Promise<void> {
    this.#open?.desk.stop();
    await this.#open?.network.stop();
    await this.#discovery?.stop();
  }

  /** True the first time. */
  async #browse(): Promise<boolean> {
    const isFirst = !this.#isBrowsing;
    this.#isBrowsing = true;
    await this.#discovery?.browse();
    return isFirst;
  }

  #require(): { readonly network: PeerNetwork; readonly desk: PairingDesk } {
    if (!this.#open) throw new PairingFailed('no-key');
    return this.#open;
  }

  #connect(host: string): { network: PeerNetwork; desk: PairingDesk } | null {
    const { identity, store, stores, space, spaceKey, random, log, place } = this.#options;
    const { privateKey } = identity;
    if (!privateKey) return null;
    const key: OpenKey = { ...identity, privateKey };
    const { clock, db } = store;
    const { peers, devices, settings } = stores;
    const tell = (id: string): void => db.write(() => db.changes.record('devices', id));
    const known = settings.get(PORT_SETTING);
    const network = new PeerNetwork({
      key,
      peers,
      clock,
      random,
      log,
      host,
      port: place.port ?? (typeof known === 'number' ? known : DEFAULT_PORT),
      onDoor: (port) => {
        if (port !== null && port !== known && place.port === undefined) {
          settings.set(PORT_SETTING, port);
        }
        this.announce();
      },
      onChange: tell,
    });
    network.onLink(this.#options.onLink);
    const desk = new PairingDesk({
      key,
      network,
      peers,
      devices,
      space,
      spaceKey,
      clock,
      onChange: () => {
        tell(PAIRING_ROW);
        this.announce();
        if (peers.paired().length > 0) void this.#browse();
      },
    });
    return { network, desk };
  }
}
