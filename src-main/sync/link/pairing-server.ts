// Pairs devices: creates pairing links, accepts devices that use one, joins others, and compares
// digits. The pure state machines in src-shared decide; the stores hold the result.
import { randomBytes } from 'node:crypto';
import type { FrameStream } from '#main/sync/link/frame-stream.ts';
import { CurrentComparison, type Comparison } from '#main/sync/link/comparison.ts';
import type { Caller } from '#main/sync/link/listen.ts';
import { dialForPairing, type Dialled } from '#main/sync/link/pairing-dial.ts';
import { PairingFailed } from '#main/sync/link/pairing-failed.ts';
import { PairingExchange, sendMessage } from '#main/sync/link/pairing-exchange.ts';
import { PairingWindow } from '#main/sync/link/pairing-window.ts';
import type { PeerNetwork } from '#main/sync/link/peer-network.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';
import type { SpaceKeyExchange } from '#main/sync/space-key.ts';
import type { DeviceStore } from '#main/store/tables/devices.ts';
import type { PairedBy, PeerStore } from '#main/store/tables/peers.ts';
import type { Space } from '#main/store/tables/space.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';
import type { Clock } from '#shared/clock.ts';
import type { KeyName } from '#shared/sync/device-id.ts';
import { COMPARISON_MS, LINK_HANDSHAKE_MS } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';
import type { PairingFailure } from '#shared/sync/pairing/failures.ts';
import {
  isAnyOpen,
  openInvitation,
  type Invitation,
  type Invitations,
} from '#shared/sync/pairing/invitations.ts';
import {
  answerHello,
  countFailedComparison,
  startWaiting,
  stepInviter,
  type InviterState,
  type Waiting,
} from '#shared/sync/pairing/inviter.ts';
import {
  startJoining,
  stepJoiner,
  type JoinBy,
  type JoinerState,
  type PairingSelf,
} from '#shared/sync/pairing/joiner.ts';
import { formatPairingLink, parsePairingLink } from '#shared/sync/pairing/link.ts';
import { decodeMessage, type Hello } from '#shared/sync/pairing/messages.ts';
import type { BothKeys } from '#shared/sync/pairing/proofs.ts';

export interface PairingServerOptions {
  readonly key: OpenKey;
  readonly network: PeerNetwork;
  readonly peers: PeerStore;
  readonly devices: DeviceStore;
  readonly space: Space;
  readonly spaceKey: SpaceKeyExchange;
  readonly clock: Clock;
  /** An invitation or a comparison changed. */
  readonly onChange: () => void;
}

export class PairingServer {
  readonly #options: PairingServerOptions;
  readonly #comparison = new CurrentComparison();
  readonly #window: PairingWindow;
  #invitations: Invitations = [];
  #waiting: Waiting = { is: 'not-waiting' };

  constructor(options: PairingServerOptions) {
    this.#options = options;
    this.#window = new PairingWindow(options.network, options.clock);
    options.network.onPairing((caller) => this.#receive(caller));
  }

  /** Creates a link for one device, valid for ten minutes. */
  async invite(): Promise<{ readonly link: string; readonly invitation: Invitation }> {
    const { key, network, clock } = this.#options;
    await this.#exportSpaceKey();
    const token = randomBytes(16).toString('hex');
    const { invitations, opened } = openInvitation(this.#invitations, token, clock.now());
    this.#invitations = invitations;
    await this.#updateWindow();
    const link = formatPairingLink({
      deviceId: key.deviceId,
      token,
      addresses: network.addresses,
    });
    return { link, invitation: opened };
  }

  invitation(id: string): Invitation | undefined {
    return this.#invitations.find((invitation) => invitation.id === id);
  }

  /** Throws `PairingFailed`. */
  async join(text: string): Promise<KeyName> {
    const link = parsePairingLink(text);
    if (typeof link === 'string') throw new PairingFailed(link);
    const { key } = this.#options;
    if (link.deviceId === key.deviceId) throw new PairingFailed('same-device');
    return this.#whileReachable(async () => {
      let why: PairingFailure = 'unreachable';
      for (const address of link.addresses) {
        const result = await this.#joinAt(address, link.deviceId, link.token);
        if (typeof result !== 'string') return result;
        if (result !== 'unreachable') why = result;
        if (!['unreachable', 'wrong-device', 'gone'].includes(result)) break;
      }
      throw new PairingFailed(why);
    });
  }

  /** Accepts comparisons for ten minutes. */
  async waitForComparison(): Promise<{ readonly until: number }> {
    const { clock } = this.#options;
    await this.#exportSpaceKey();
    this.#waiting = startWaiting(clock.now());
    await this.#updateWindow();
    this.#options.onChange();
    return { until: this.#waiting.is === 'waiting' ? this.#waiting.until : clock.now() };
  }

  get isWaiting(): boolean {
    return this.#waiting.is === 'waiting' && this.#options.clock.now() < this.#waiting.until;
  }

  /** Resolves when the digits are known. Throws `PairingFailed`. */
  async compareWith(addresses: readonly string[]): Promise<Comparison> {
    if (this.#comparison.isRunning) throw new PairingFailed('busy');
    return this.#whileReachable(async () => {
      const dialled = await this.#dialAny(addresses);
      const known = Promise.withResolvers<void>();
      const nonce = randomBytes(32).toString('hex');
      this.#startJoining(dialled, { by: 'comparison', nonce }, (state) => {
        if (state.is === 'comparing' || state.is === 'failed') known.resolve();
      });
      await known.promise;
      const { comparison } = this;
      if (!comparison) throw new PairingFailed('gone');
      if (comparison.state.is === 'failed') throw new PairingFailed(comparison.state.why);
      return comparison;
    });
  }

  /** The comparison in progress, or the last one. */
  get comparison(): Comparison | null {
    return this.#comparison.view;
  }

  /** A person's answer. False when the comparison is not in progress. */
  answer(comparisonId: string, isSame: boolean): boolean {
    return this.#comparison.answer(comparisonId, isSame);
  }

  stop(): void {
    this.#comparison.end();
    this.#window.close();
  }

  get #self(): PairingSelf {
    const { devices, key, network, space, peers } = this.#options;
    return {
      name: devices.get(key.deviceId)?.name ?? key.deviceId,
      addresses: network.addresses,
      space: { id: space.id, shared: peers.paired().length > 0 },
    };
  }

  /** Listens meanwhile, so that the peer learns the addresses of this device. */
  async #whileReachable<Result>(work: () => Promise<Result>): Promise<Result> {
    const stopListening = await this.#options.network.keepListening();
    try {
      return await work();
    } finally {
      stopListening();
    }
  }

  async #dialAny(addresses: readonly string[]): Promise<Dialled> {
    let why: PairingFailure = 'unreachable';
    for (const address of addresses) {
      const dialled = await dialForPairing(this.#options, address);
      if (typeof dialled !== 'string') return dialled;
      if (dialled !== 'unreachable') why = dialled;
    }
    throw new PairingFailed(why);
  }

  async #joinAt(
    address: string,
    deviceId: string,
    token: string,
  ): Promise<KeyName | PairingFailure> {
    const dialled = await dialForPairing(this.#options, address, deviceId);
    if (typeof dialled === 'string') return dialled;
    const result = Promise.withResolvers<KeyName | PairingFailure>();
    this.#startJoining(dialled, { by: 'link', token }, (state) => {
      if (state.is === 'paired') result.resolve(dialled.peer);
      if (state.is === 'failed') result.resolve(state.why);
    });
    return result.promise;
  }

  #startJoining(
    { stream, peer }: Dialled,
    how: JoinBy,
    onState: (state: JoinerState) => void,
  ): void {
    const { clock, key } = this.#options;
    const keys: BothKeys = { joiner: key.keyHash, inviter: peer.keyHash };
    const by = how.by;
    const id = randomBytes(16).toString('hex');
    const exchange = new PairingExchange<JoinerState>(
      {
        stream,
        clock,
        deadline: clock.now() + LINK_HANDSHAKE_MS,
        step: (state, event) => stepJoiner(state, event, keys),
        onState: (state) => {
          const show = (shown: JoinerState): void => {
            if (by === 'comparison') this.#show(id, peer, shown);
            onState(shown);
          };
          if (state.is !== 'paired') return show(state);
          return void this.#join(peer, state, by).then(show);
        },
      },
      startJoining(this.#self, keys, how, clock.now()),
    );
    if (by === 'comparison') this.#beginComparison(id, peer, exchange);
  }

  #receive({ key: peer, stream }: Caller): void {
    const { clock, key } = this.#options;
    const keys: BothKeys = { joiner: peer.keyHash, inviter: key.keyHash };
    const refuse = (why: PairingFailure): void => {
      sendMessage(stream, { type: 'refuse', reason: why });
      stream.close(linkEnd('closed'));
    };
    const cancelTimer = clock.wakeAt(clock.now() + LINK_HANDSHAKE_MS, () => refuse('timed-out'));
    stream.onEnd(cancelTimer);
    stream.onFrame(({ kind, content }) => {
      cancelTimer();
      const message = kind === 'data' ? decodeMessage(content) : 'garbled';
      if (typeof message === 'string') return refuse(message);
      if (message.type !== 'hello') return refuse('garbled');
      return this.#answer(peer, stream, keys, message);
    });
  }

  async #answer(peer: KeyName, stream: FrameStream, keys: BothKeys, hello: Hello): Promise<void> {
    const { clock } = this.#options;
    const spaceKey = await this.#exportSpaceKey();
    const visit = {
      self: this.#self,
      keys,
      joinerId: peer.deviceId,
      now: clock.now(),
      nonce: randomBytes(32).toString('hex'),
      spaceKey,
    };
    const admission = {
      invitations: this.#invitations,
      waiting: this.#waiting,
      isComparing: this.#comparison.isRunning,
    };
    const { invitations, ...first } = answerHello(admission, hello, visit);
    this.#invitations = invitations;
    const isComparison = first.state.is === 'committed';
    const id = randomBytes(16).toString('hex');
    const exchange = new PairingExchange<InviterState>(
      {
        stream,
        clock,
        deadline: clock.now() + LINK_HANDSHAKE_MS,
        step: (state, event) => stepInviter(state, event, visit),
        onState: (state) => {
          if (state.is === 'paired') this.#pair(peer, state.hello);
          if (isComparison) {
            if (state.is === 'failed') this.#waiting = countFailedComparison(this.#waiting);
            this.#show(id, peer, state);
          }
          void this.#updateWindow();
        },
      },
      first,
    );
    if (isComparison) this.#beginComparison(id, peer, exchange);
  }

  /** Extends the deadline, because people need time to compare. */
  #beginComparison(
    id: string,
    peer: KeyName,
    exchange: PairingExchange<JoinerState> | PairingExchange<InviterState>,
  ): void {
    exchange.setDeadline(this.#options.clock.now() + COMPARISON_MS);
    this.#comparison.begin(id, peer, exchange);
  }

  #show(id: string, peer: KeyName, state: JoinerState | InviterState): void {
    if (this.#comparison.update(id, peer, state)) this.#options.onChange();
  }

  /** Saves the key first: after a crash in between, the device is not paired and can join again. */
  async #join(
    peer: KeyName,
    state: Extract<JoinerState, { is: 'paired' }>,
    by: PairedBy,
  ): Promise<JoinerState> {
    const { peers, space, spaceKey, network } = this.#options;
    const { name, addresses, spaceId } = state.welcome;
    try {
      await spaceKey.import(state.welcome.spaceKey);
      space.join(spaceId, () => peers.pair({ ...peer, name, addresses, pairedBy: by }));
    } catch {
      return { is: 'failed', why: 'not-kept' };
    }
    network.refresh();
    return state;
  }

  /** Throws `PairingFailed` when only the keychain of the desktop app can decrypt it. */
  async #exportSpaceKey(): Promise<string> {
    try {
      return await this.#options.spaceKey.export();
    } catch (error) {
      if (error instanceof SecretMissing) throw new PairingFailed('no-key');
      throw error;
    }
  }

  #pair(peer: KeyName, { name, addresses, join }: Hello): void {
    const { peers, network } = this.#options;
    peers.pair({ ...peer, name, addresses, pairedBy: join.by });
    network.refresh();
    this.#options.onChange();
  }

  /** Keeps the window open while a device may connect for pairing. */
  async #updateWindow(): Promise<void> {
    const now = this.#options.clock.now();
    const waitsUntil = this.#waiting.is === 'waiting' ? this.#waiting.until : 0;
    const isNeeded =
      isAnyOpen(this.#invitations, now) || now < waitsUntil || this.#comparison.isRunning;
    if (!isNeeded) {
      if (this.#window.close()) this.#options.onChange();
      return;
    }
    const ends = this.#invitations.map(({ expiresAt }) => expiresAt).concat(waitsUntil);
    const next = Math.min(...ends.filter((end) => end > now), now + COMPARISON_MS);
    await this.#window.open(next, () => void this.#updateWindow());
  }
}
