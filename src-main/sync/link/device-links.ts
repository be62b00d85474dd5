// The links of a host to other devices: the network of paired devices, pairing, and discovery. The
// interface for the API and the host.
import type { Logger } from 'pino';
import type { DeviceIdentity } from '#main/sync/device-identity.ts';
import { Discovery, type NearbyDevice } from '#main/sync/link/discovery.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import { isLoopback } from '#main/sync/link/own-addresses.ts';
import { PairingServer } from '#main/sync/link/pairing-server.ts';
import { PairingFailed } from '#main/sync/link/pairing-failed.ts';
import { PeerNetwork } from '#main/sync/link/peer-network.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';
import type { SpaceKeyExchange } from '#main/sync/space-key.ts';
import type { Space } from '#main/store/tables/space.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { NEARBY_MS } from '#shared/limits.ts';

/** The preferred port, so that firewalls can be configured. If taken, a free one is used and stored. */
const DEFAULT_PORT = 47_470;
const PORT_SETTING = 'link_port';
/** Id in the change feed for state without a row: invitations, comparisons, links. */
const PAIRING_ROW = 'pairing';

export interface ListenAddress {
  /** The address to listen on. With loopback, mDNS is off too. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

export interface DeviceLinksOptions {
  readonly identity: DeviceIdentity;
  readonly store: StoreContext;
  readonly stores: Stores;
  readonly space: Space;
  readonly spaceKey: SpaceKeyExchange;
  /** Called for each new link, dialled or accepted. */
  readonly onLink: (link: Link) => void;
  readonly random: () => number;
  readonly log: Logger;
  readonly listenOn: ListenAddress;
}

export class DeviceLinks {
  readonly #options: DeviceLinksOptions;
  readonly #discovery: Discovery | null;
  /** Null without the private key; then there are no links. */
  readonly #open: { readonly network: PeerNetwork; readonly pairing: PairingServer } | null;
  #isBrowsing = false;

  constructor(options: DeviceLinksOptions) {
    this.#options = options;
    const { listenOn, log } = options;
    const host = listenOn.host ?? '::';
    this.#discovery = isLoopback(host)
      ? null
      : new Discovery(log, ({ deviceId, addresses }) =>
          this.#open?.network.sawNearby(deviceId, addresses),
        );
    this.#open = this.#connect(host);
  }

  /** Throws `PairingFailed` when the key of this device can't be decrypted. */
  get network(): PeerNetwork {
    return this.#require().network;
  }

  get pairing(): PairingServer {
    return this.#require().pairing;
  }

  isLinked(deviceId: string): boolean {
    return this.#open?.network.isLinked(deviceId) ?? false;
  }

  lastEnd(deviceId: string): LinkEnd | null {
    return this.#open?.network.lastEnd(deviceId) ?? null;
  }

  /** Call after the paired devices changed; opens and closes links accordingly. */
  peersChanged(): void {
    this.#open?.network.refresh();
  }

  /** Starts dialling and accepting paired devices. */
  start(): void {
    if (!this.#open) {
      this.#options.log.warn(new PairingFailed('no-key').message);
      return;
    }
    this.#open.network.start();
    if (this.#options.stores.peers.paired().length > 0) void this.#browse();
  }

  /** Devices found by mDNS. The first call waits a moment for responses. */
  async nearby(): Promise<NearbyDevice[]> {
    if (!this.#discovery) return [];
    if (await this.#browse()) await this.#options.store.clock.sleep(NEARBY_MS);
    const own = this.#options.identity.deviceId;
    return this.#discovery.nearby().filter(({ deviceId }) => deviceId !== own);
  }

  /** Call after the name or the waiting state changed; updates the mDNS announcement. */
  announce(): void {
    const port = this.#open?.network.port ?? null;
    const { identity, stores } = this.#options;
    const { deviceId } = identity;
    const name = stores.devices.get(deviceId)?.name ?? deviceId;
    const isWaiting = this.#open?.pairing.isWaiting ?? false;
    void this.#discovery?.announce(port === null ? null : { deviceId, name, port, isWaiting });
  }

  async stop(): Promise<void> {
    this.#open?.pairing.stop();
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

  #require(): { readonly network: PeerNetwork; readonly pairing: PairingServer } {
    if (!this.#open) throw new PairingFailed('no-key');
    return this.#open;
  }

  #connect(host: string): { network: PeerNetwork; pairing: PairingServer } | null {
    const { identity, store, stores, space, spaceKey, random, log, listenOn } = this.#options;
    const { privateKey } = identity;
    if (!privateKey) return null;
    const key: OpenKey = { ...identity, privateKey };
    const { clock, db } = store;
    const { peers, devices, settings } = stores;
    const notify = (id: string): void => db.changes.notify('devices', id);
    const known = settings.get(PORT_SETTING);
    const network = new PeerNetwork({
      key,
      peers,
      clock,
      random,
      log,
      host,
      port: listenOn.port ?? (typeof known === 'number' ? known : DEFAULT_PORT),
      onPort: (port) => {
        if (port !== null && port !== known && listenOn.port === undefined) {
          settings.set(PORT_SETTING, port);
        }
        this.announce();
      },
      onChange: notify,
    });
    network.onLink(this.#options.onLink);
    const pairing = new PairingServer({
      key,
      network,
      peers,
      devices,
      space,
      spaceKey,
      clock,
      onChange: () => {
        notify(PAIRING_ROW);
        this.announce();
        if (peers.paired().length > 0) void this.#browse();
      },
    });
    return { network, pairing };
  }
}
