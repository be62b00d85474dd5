// Keeps one live link to each paired device, whoever dials. The door is open only while somebody may
// come: a paired device, one that has yet to learn that it was unpaired, or one to be paired.
import type { Logger } from 'pino';
import { connectToPeer } from '#main/sync/link/connect.ts';
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
import { MAX_PEER_ADDRESSES, UNPAIRED_TOLD_FOR_MS } from '#shared/limits.ts';
import { linkEnd, type LinkEndName } from '#shared/sync/link-ends.ts';
import { isNewLinkKept } from '#shared/sync/one-link.ts';

export interface PeerNetworkOptions {
  readonly key: OpenKey;
  readonly peers: PeerStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** The address to listen on. */
  readonly host: string;
  readonly port: number;
  /** The door was opened at this port, or shut. */
  readonly onDoor?: (port: number | null) => void;
  /** Something that people see has changed for this device. */
  readonly onChange?: (deviceId: string) => void;
}

/** Ends of a link for which the other side is to blame. */
const FAULTS: ReadonlySet<string> = new Set<LinkEndName>(['garbled', 'frame-too-large']);

interface Entry {
  readonly redial: Redial;
  link: TlsLink | null;
  /** Why there is no link, as far as it is known. */
  lastEnd: LinkEnd | null;
  /** Where it was seen nearby. */
  nearby: readonly string[];
}

export class PeerNetwork {
  readonly #options: PeerNetworkOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #onLink = new Set<(link: Link) => void>();
  readonly #refusals: RefusalLog;
  /** What devices did that were let in: a new link does not make it news again. */
  readonly #faults: RefusalLog;
  #onPairing: ((caller: Caller) => void) | null = null;
  #isStarted = false;
  #isStopped = false;
  #doorHolds = 0;
  #door: Listener | null = null;
  #doorChange: Promise<void> = Promise.resolve();

  constructor(options: PeerNetworkOptions) {
    this.#options = options;
    this.#refusals = new RefusalLog(options.log);
    this.#faults = new RefusalLog(options.log);
  }

  /** Called for each new link; frames wait until its `onFrame` was set. */
  onLink(listener: (link: Link) => void): void {
    this.#onLink.add(listener);
  }

  /** Takes connections that want to pair. Without one they are refused. */
  onPairing(listener: (caller: Caller) => void): void {
    this.#onPairing = listener;
  }

  /** From here on peers are dialled. */
  start(): void {
    this.#isStarted = true;
    this.refresh();
  }

  /** Who is paired has changed. */
  refresh(): void {
    if (this.#isStopped) return;
    const paired = this.#options.peers.paired();
    for (const peer of paired) this.#ensureEntry(peer);
    const kept = new Set(paired.map(({ deviceId }) => deviceId));
    for (const [deviceId, entry] of this.#entries) {
      if (!kept.has(deviceId)) this.#drop(deviceId, entry, linkEnd('unpaired'));
    }
    void this.#tendDoor();
  }

  isLinked(deviceId: string): boolean {
    return this.#entries.get(deviceId)?.link != null;
  }

  /** Why it is not linked, where that is known. */
  lastEnd(deviceId: string): LinkEnd | null {
    return this.#entries.get(deviceId)?.lastEnd ?? null;
  }

  /** It answers there, says the network: dial it now. */
  sawNearby(deviceId: string, addresses: readonly string[]): void {
    const entry = this.#entries.get(deviceId);
    if (!entry) return;
    entry.nearby = addresses.slice(0, MAX_PEER_ADDRESSES);
    entry.redial.hurry();
  }

  /** Where others reach this device; empty while the door is shut. */
  get addresses(): string[] {
    return this.#door ? ownAddresses(this.#options.host, this.#door.port) : [];
  }

  get port(): number | null {
    return this.#door?.port ?? null;
  }

  /** Opens the door until the answer is called. */
  async holdDoor(): Promise<() => void> {
    this.#doorHolds += 1;
    await this.#tendDoor();
    if (!this.#door) {
      this.#doorHolds -= 1;
      throw new Error('No port could be opened for other devices.');
    }
    let isHeld = true;
    return () => {
      if (isHeld) this.#doorHolds -= 1;
      isHeld = false;
      void this.#tendDoor();
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const [deviceId, entry] of this.#entries) this.#drop(deviceId, entry, linkEnd('closing'));
    await this.#tendDoor();
  }

  #ensureEntry(peer: Peer): void {
    const known = this.#entries.get(peer.deviceId);
    if (known) {
      if (this.#isStarted && !known.link) known.redial.want();
      return;
    }
    const { clock, random, key, log } = this.#options;
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
        connect: (address, signal) =>
          connectToPeer({
            key,
            peer,
            address,
            ownAddresses: this.addresses,
            clock,
            log,
            signal,
          }),
        onConnected: ({ link, addresses }, address) => this.#adopt(link, [address, ...addresses]),
        onFailed: (end) => this.#dialFailed(deviceId, entry, end),
      }),
    };
    this.#entries.set(deviceId, entry);
    if (this.#isStarted) entry.redial.want();
  }

  #dialFailed(deviceId: string, entry: Entry, end: LinkEnd): void {
    if (end.name === 'unpaired') return this.#learnUnpaired(deviceId);
    if (entry.link || end.name === 'duplicate') return;
    entry.lastEnd = end;
    this.#refusals.note(end, deviceId);
    this.#options.onChange?.(deviceId);
  }

  /** Null: this key may come in. */
  #refuse(key: KeyName): LinkEnd | null {
    const { peers } = this.#options;
    const peer = peers.get(key.deviceId);
    if (peer?.keyHash !== key.keyHash || !peer) return linkEnd('unknown-device');
    if (peer.unpairedAt === null) return null;
    peers.markNotified(key.deviceId);
    void this.#tendDoor();
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
      if (!(error instanceof LinkEnded)) throw error;
      this.#refusals.note(error.end, deviceId);
    }
  }

  #replaces(there: TlsLink, isDialledByUs: boolean): boolean {
    return isNewLinkKept(this.#options.key.deviceId, there.peerId, {
      there: there.isDialledByUs,
      coming: isDialledByUs,
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
    entry.redial.rest();
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
    if (FAULTS.has(end.name)) this.#faults.note(end, link.peerId);
    else this.#options.log.info({ peer: link.peerId, end: end.name }, 'a link has ended');
    this.#options.onChange?.(link.peerId);
    if (this.#isStarted) entry.redial.want();
  }

  /** The other side has ended the pairing: it told so with its key proven. */
  #learnUnpaired(deviceId: string): void {
    this.#options.peers.unpair(deviceId, 'them');
    this.#options.log.warn({ peer: deviceId }, 'the other device has ended the pairing');
    this.refresh();
  }

  #drop(deviceId: string, entry: Entry, end: LinkEnd): void {
    this.#entries.delete(deviceId);
    entry.redial.stop();
    entry.link?.close(end);
  }

  /** One change at a time; each looks at what is needed by then. */
  #tendDoor(): Promise<void> {
    const tended = this.#doorChange.then(async () => {
      const isNeeded = this.#isDoorNeeded();
      if (isNeeded === (this.#door !== null)) return;
      if (isNeeded) this.#door = await this.#openDoor();
      else {
        const door = this.#door;
        this.#door = null;
        await door?.close();
      }
      this.#options.onDoor?.(this.port);
    });
    this.#doorChange = tended.catch((error: unknown) => {
      this.#options.log.error({ err: error }, 'other devices cannot reach this one');
    });
    return this.#doorChange;
  }

  #isDoorNeeded(): boolean {
    if (this.#isStopped) return false;
    if (this.#doorHolds > 0) return true;
    if (!this.#isStarted) return false;
    const since = this.#options.clock.now() - UNPAIRED_TOLD_FOR_MS;
    return this.#options.peers
      .list()
      .some(
        ({ unpairedAt, notifiedAt }) =>
          unpairedAt === null || (notifiedAt === null && unpairedAt > since),
      );
  }

  async #openDoor(): Promise<Listener> {
    const { key, clock, host, port } = this.#options;
    const door = await listenForPeers({
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
      onRefused: (end, who) => this.#refusals.note(end, who),
    });
    return door;
  }
}
