// Keeps one link to each paired device, dialled by either side. Listens only while a device may
// connect: a paired one, one that doesn't know yet that it was unpaired, or one to pair.
import type { Logger } from 'pino';
import { connectToPeer, type Connected } from '#main/sync/link/connect.ts';
import { LinkEnded } from '#main/sync/link/frame-stream.ts';
import { awaitGreeting, sendGreeting } from '#main/sync/link/greeting.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import { listenForPeers, type Caller, type Listener } from '#main/sync/link/listen.ts';
import { ownAddresses } from '#main/sync/link/own-addresses.ts';
import { Redial } from '#main/sync/link/redial.ts';
import { RefusalLog } from '#main/sync/link/refusal-log.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';
import { TlsLink } from '#main/sync/link/tls-link.ts';
import type { Peer, PeerStore } from '#main/store/tables/peers.ts';
import type { Clock } from '#shared/clock.ts';
import type { KeyName } from '#shared/sync/device-id.ts';
import { MAX_PEER_ADDRESSES, UNPAIRED_NOTICE_MS } from '#shared/limits.ts';
import { linkEnd, type LinkEndName } from '#shared/sync/link-ends.ts';
import { replacesLink } from '#shared/sync/link-tie-break.ts';

export interface PeerNetworkOptions {
  readonly key: OpenKey;
  readonly peers: PeerStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** The address to listen on. */
  readonly host: string;
  readonly port: number;
  /** Called with the listening port, or null when listening stopped. */
  readonly onPort?: (port: number | null) => void;
  /** The visible status of this device changed. */
  readonly onChange?: (deviceId: string) => void;
}

/** Ends of a link that are the peer's fault. */
const FAULTS: ReadonlySet<string> = new Set<LinkEndName>(['garbled', 'frame-too-large']);

interface Entry {
  readonly redial: Redial;
  link: TlsLink | null;
  /** Why there is no link, if known. */
  lastEnd: LinkEnd | null;
  /** Addresses from discovery. */
  nearby: readonly string[];
}

export class PeerNetwork {
  readonly #options: PeerNetworkOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #onLink = new Set<(link: Link) => void>();
  readonly #refusals: RefusalLog;
  /** Faults of accepted devices; a new link doesn't reset them. */
  readonly #faults: RefusalLog;
  readonly #stopping = new AbortController();
  #onPairing: ((caller: Caller) => void) | null = null;
  #isStarted = false;
  #isStopped = false;
  #listenRequests = 0;
  #listener: Listener | null = null;
  #listenerChange: Promise<void> = Promise.resolve();

  constructor(options: PeerNetworkOptions) {
    this.#options = options;
    this.#refusals = new RefusalLog(options.log);
    this.#faults = new RefusalLog(options.log);
  }

  /** Called for each new link. Frames wait until `onFrame` is set. */
  onLink(listener: (link: Link) => void): void {
    this.#onLink.add(listener);
  }

  /** Handles pairing connections. Without a handler they are refused. */
  onPairing(listener: (caller: Caller) => void): void {
    this.#onPairing = listener;
  }

  /** Starts dialling peers. */
  start(): void {
    this.#isStarted = true;
    this.refresh();
  }

  /** Call after the paired devices changed. */
  refresh(): void {
    if (this.#isStopped) return;
    const paired = this.#options.peers.paired();
    for (const peer of paired) this.#ensureEntry(peer);
    const pairedIds = new Set(paired.map(({ deviceId }) => deviceId));
    for (const [deviceId, entry] of this.#entries) {
      if (!pairedIds.has(deviceId)) this.#drop(deviceId, entry, linkEnd('unpaired'));
    }
    void this.#updateListener();
  }

  isLinked(deviceId: string): boolean {
    return this.#entries.get(deviceId)?.link != null;
  }

  /** Why it is not linked, if known. */
  lastEnd(deviceId: string): LinkEnd | null {
    return this.#entries.get(deviceId)?.lastEnd ?? null;
  }

  /** Discovery found the device at these addresses: dials it now. */
  sawNearby(deviceId: string, addresses: readonly string[]): void {
    const entry = this.#entries.get(deviceId);
    if (!entry) return;
    entry.nearby = addresses.slice(0, MAX_PEER_ADDRESSES);
    entry.redial.dialNow();
  }

  /** Dials a device that is not linked at this address now. Null when it is linked, else why it is not. */
  async reach(deviceId: string, address: string): Promise<LinkEnd | null> {
    const entry = this.#entries.get(deviceId);
    const peer = this.#options.peers.get(deviceId);
    if (!entry || !peer) return linkEnd('unpaired');
    if (entry.link) return null;
    try {
      const { link, addresses } = await this.#connect(peer, address, this.#stopping.signal);
      this.#adopt(link, [address, ...addresses]);
      return null;
    } catch (error) {
      if (!(error instanceof LinkEnded)) throw error;
      this.#dialFailed(deviceId, entry, error.end);
      return this.isLinked(deviceId) ? null : error.end;
    }
  }

  /** The addresses of this device; empty while it is not listening. */
  get addresses(): string[] {
    return this.#listener ? ownAddresses(this.#options.host, this.#listener.port) : [];
  }

  get port(): number | null {
    return this.#listener?.port ?? null;
  }

  /** Listens until the returned function is called. */
  async keepListening(): Promise<() => void> {
    this.#listenRequests += 1;
    await this.#updateListener();
    if (!this.#listener) {
      this.#listenRequests -= 1;
      throw new Error('Could not listen for other devices: no port could be opened.');
    }
    let isActive = true;
    return () => {
      if (isActive) this.#listenRequests -= 1;
      isActive = false;
      void this.#updateListener();
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    for (const [deviceId, entry] of this.#entries) this.#drop(deviceId, entry, linkEnd('closing'));
    await this.#updateListener();
  }

  #ensureEntry(peer: Peer): void {
    const known = this.#entries.get(peer.deviceId);
    if (known) {
      if (this.#isStarted && !known.link) known.redial.start();
      return;
    }
    const { clock, random, log } = this.#options;
    const { deviceId } = peer;
    const entry: Entry = {
      link: null,
      lastEnd: null,
      nearby: [],
      redial: new Redial({
        clock,
        random,
        addresses: () => {
          const lastKnown = this.#options.peers.get(deviceId)?.addresses ?? [];
          return [...new Set([...entry.nearby, ...lastKnown])];
        },
        connect: (address, signal) => this.#connect(peer, address, signal),
        onConnected: ({ link, addresses }, address) => this.#adopt(link, [address, ...addresses]),
        onFailed: (end) => this.#dialFailed(deviceId, entry, end),
        onError: (error) => log.error({ err: error, deviceId }, 'could not link a device'),
      }),
    };
    this.#entries.set(deviceId, entry);
    if (this.#isStarted) entry.redial.start();
  }

  #connect(peer: Peer, address: string, signal: AbortSignal): Promise<Connected> {
    const { key, clock, log } = this.#options;
    return connectToPeer({
      key,
      peer,
      address,
      ownAddresses: this.addresses,
      clock,
      log,
      signal,
    });
  }

  #dialFailed(deviceId: string, entry: Entry, end: LinkEnd): void {
    if (end.name === 'unpaired') return this.#learnUnpaired(deviceId);
    if (entry.link || end.name === 'duplicate') return;
    entry.lastEnd = end;
    this.#refusals.log(end, deviceId);
    this.#options.onChange?.(deviceId);
  }

  /** Null when this key is accepted. */
  #refuse(key: KeyName): LinkEnd | null {
    const { peers } = this.#options;
    const peer = peers.get(key.deviceId);
    if (peer?.keyHash !== key.keyHash || !peer) return linkEnd('unknown-device');
    if (peer.unpairedAt === null) return null;
    peers.markNotified(key.deviceId);
    void this.#updateListener();
    return linkEnd('unpaired');
  }

  async #receive({ key, stream }: Caller): Promise<void> {
    const { clock, log } = this.#options;
    const { deviceId } = key;
    try {
      const { addresses } = await awaitGreeting(stream, clock);
      const entry = this.#entries.get(deviceId);
      if (!entry || this.#isStopped) return stream.close(linkEnd('closing'));
      if (entry.link && !this.#replaces(entry.link, false)) {
        entry.link.probe();
        return stream.close(linkEnd('duplicate'));
      }
      sendGreeting(stream, { addresses: this.addresses });
      this.#adopt(
        new TlsLink({ peerId: deviceId, isDialledByUs: false, stream, clock, log }),
        addresses,
      );
    } catch (error) {
      if (error instanceof LinkEnded) this.#refusals.log(error.end, deviceId);
      else {
        log.error({ err: error, deviceId }, 'could not accept a device');
        stream.close(linkEnd('closing'));
      }
    }
  }

  #replaces(existing: TlsLink, isDialledByUs: boolean): boolean {
    return replacesLink(this.#options.key.deviceId, existing.peerId, {
      existing: existing.isDialledByUs,
      incoming: isDialledByUs,
    });
  }

  #adopt(link: TlsLink, addresses: readonly string[]): void {
    const { peerId } = link;
    const entry = this.#entries.get(peerId);
    if (!entry || this.#isStopped) return link.close(linkEnd('closing'));
    if (entry.link) {
      if (!this.#replaces(entry.link, link.isDialledByUs)) {
        entry.link.probe();
        return link.close(linkEnd('duplicate'));
      }
      const former = entry.link;
      entry.link = null;
      former.close(linkEnd('duplicate'));
    }
    entry.link = link;
    entry.lastEnd = null;
    entry.redial.pause();
    this.#refusals.forget(peerId);
    this.#remember(peerId, addresses);
    link.onClose((end) => this.#linkEnded(entry, link, end));
    for (const listener of this.#onLink) listener(link);
  }

  #remember(peerId: string, addresses: readonly string[]): void {
    const { peers } = this.#options;
    const known = peers.get(peerId)?.addresses ?? [];
    peers.markSeen(peerId, [...new Set([...addresses, ...known])].slice(0, MAX_PEER_ADDRESSES));
  }

  #linkEnded(entry: Entry, link: TlsLink, end: LinkEnd): void {
    if (entry.link !== link) return;
    entry.link = null;
    entry.lastEnd = end;
    if (this.#entries.get(link.peerId) !== entry) return;
    if (end.name === 'unpaired') return this.#learnUnpaired(link.peerId);
    if (FAULTS.has(end.name)) this.#faults.log(end, link.peerId);
    else this.#options.log.info({ peer: link.peerId, end: end.name }, 'link ended');
    this.#options.onChange?.(link.peerId);
    if (this.#isStarted) entry.redial.start();
  }

  /** The peer ended the pairing; its key was proven before it said so. */
  #learnUnpaired(deviceId: string): void {
    this.#options.peers.unpair(deviceId, 'them');
    this.#options.log.warn({ peer: deviceId }, 'the peer ended the pairing');
    this.refresh();
  }

  #drop(deviceId: string, entry: Entry, end: LinkEnd): void {
    this.#entries.delete(deviceId);
    entry.redial.stop();
    entry.link?.close(end);
  }

  /** Runs one change at a time; each decides by the state at that moment. */
  #updateListener(): Promise<void> {
    const updated = this.#listenerChange.then(async () => {
      const isNeeded = this.#mustListen();
      if (isNeeded === (this.#listener !== null)) return;
      if (isNeeded) this.#listener = await this.#listen();
      else {
        const listener = this.#listener;
        this.#listener = null;
        await listener?.close();
      }
      this.#options.onPort?.(this.port);
    });
    this.#listenerChange = updated.catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'could not listen for other devices');
    });
    return this.#listenerChange;
  }

  #mustListen(): boolean {
    if (this.#isStopped) return false;
    if (this.#listenRequests > 0) return true;
    if (!this.#isStarted) return false;
    const since = this.#options.clock.now() - UNPAIRED_NOTICE_MS;
    return this.#options.peers
      .list()
      .some(
        ({ unpairedAt, notifiedAt }) =>
          unpairedAt === null || (notifiedAt === null && unpairedAt > since),
      );
  }

  #listen(): Promise<Listener> {
    const { key, clock, host, port } = this.#options;
    return listenForPeers({
      key,
      clock,
      host,
      port,
      refuse: (caller) => this.#refuse(caller),
      onPeer: (caller) => void this.#receive(caller),
      onPairing: (caller) => {
        if (this.#onPairing) this.#onPairing(caller);
        else caller.stream.close(linkEnd('unknown-device'));
      },
      onRefused: (end, who) => this.#refusals.log(end, who),
    });
  }
}
