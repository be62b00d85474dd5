// Devices for tests: real keys, real stores, real TLS on loopback.
import { pino, type Logger } from 'pino';
import { onTestFinished } from 'vitest';
import { systemClock } from '#main/platform/system.ts';
import { makeDeviceKey } from '#main/sync/link/device-key.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import { PairingServer } from '#main/sync/link/pairing-server.ts';
import { PeerNetwork, type PeerNetworkOptions } from '#main/sync/link/peer-network.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { openSecretStore } from '#main/secrets/secret-store.ts';
import { createSpaceKeyExchange, type SpaceKeyExchange } from '#main/sync/space-key.ts';
import { Space } from '#main/store/tables/space.ts';
import { createStores, type Stores } from '#main/store/stores.ts';
import { openStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly refusal?: string;
  readonly who?: string;
}

export interface TestDevice {
  readonly pairing: PairingServer;
  readonly space: Space;
  readonly spaceKey: SpaceKeyExchange;
  readonly key: OpenKey;
  readonly stores: Stores;
  readonly network: PeerNetwork;
  readonly logged: LogLine[];
  readonly log: Logger;
  readonly links: Link[];
  readonly ends: LinkEnd[];
  /** Resolves with the first link that was not returned before. */
  nextLink(): Promise<Link>;
}

export function makeKey(): OpenKey {
  return makeDeviceKey(tempFolder(), undefined) as OpenKey;
}

export function makeDevice(
  options: {
    readonly name?: string;
    readonly spaceKey?: SpaceKeyExchange;
  } & Partial<PeerNetworkOptions> = {},
): TestDevice {
  const key = options.key ?? makeKey();
  const clock = options.clock ?? systemClock;
  const opened = openStore(key.deviceId);
  const stores = createStores({ ...opened.context, clock });
  stores.settings.set('device_id', key.deviceId);
  const logged: LogLine[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => void logged.push(JSON.parse(line)) });
  const network = new PeerNetwork({
    key,
    peers: stores.peers,
    clock,
    random: () => 0,
    log,
    host: '127.0.0.1',
    port: 0,
    ...options,
  });
  const space = new Space({ ...opened.context, clock });
  stores.devices.ensureOwn(key.keyHash, options.name ?? 'Device');
  const { peers, devices } = stores;
  const secrets = openSecretStore({ dataDir: tempFolder(), masker: createMasker() });
  const spaceKey = options.spaceKey ?? createSpaceKeyExchange(secrets);
  const pairing = new PairingServer({
    key,
    network,
    peers,
    devices,
    space,
    spaceKey,
    clock,
    onChange: () => undefined,
  });
  onTestFinished(async () => {
    pairing.stop();
    await network.stop();
  });
  const links: Link[] = [];
  const ends: LinkEnd[] = [];
  const waiting: ((link: Link) => void)[] = [];
  const untaken: Link[] = [];
  network.onLink((link) => {
    links.push(link);
    link.onClose((end) => ends.push(end));
    const waiter = waiting.shift();
    if (waiter) waiter(link);
    else untaken.push(link);
  });
  return {
    key,
    stores,
    network,
    pairing,
    space,
    spaceKey,
    logged,
    log,
    links,
    ends,
    nextLink: () => {
      const link = untaken.shift();
      return link ? Promise.resolve(link) : new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** Writes the row of a pairing, with the addresses of the other device. */
export function pairRows(
  one: TestDevice,
  other: { readonly key: OpenKey },
  addresses: readonly string[] = [],
): void {
  const { deviceId, keyHash } = other.key;
  one.stores.peers.pair({ deviceId, keyHash, name: 'Other', addresses, pairedBy: 'link' });
}

/** Two paired devices; `dialler` knows the other's address, and neither has started. */
export async function pairOfDevices(
  options: Parameters<typeof makeDevice>[0] = {},
): Promise<{ dialler: TestDevice; answerer: TestDevice; address: string }> {
  const [dialler, answerer] = [makeDevice(options), makeDevice(options)];
  const stopListening = await answerer.network.keepListening();
  onTestFinished(stopListening);
  const [address] = answerer.network.addresses as [string];
  pairRows(answerer, dialler);
  pairRows(dialler, answerer, [address]);
  return { dialler, answerer, address };
}

export function endOf(link: Link): Promise<LinkEnd> {
  return new Promise((resolve) => link.onClose(resolve));
}
