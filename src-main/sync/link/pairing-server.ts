// Where devices are paired: makes links, takes in who comes with one, joins others, and compares
// digits. What it decides is decided by the pure machines; what it keeps is in the stores.
import { randomBytes } from 'node:crypto';
import type { FrameStream } from '#main/sync/link/frame-stream.ts';
import { describeComparison, type Comparison } from '#main/sync/link/comparison.ts';
import type { Caller } from '#main/sync/link/listen.ts';
import { dialForPairing, type Dialled } from '#main/sync/link/pairing-dial.ts';
import { PairingFailed } from '#main/sync/link/pairing-failed.ts';
import { PairingTalk, sendMessage } from '#main/sync/link/pairing-talk.ts';
import type { PeerNetwork } from '#main/sync/link/peer-network.ts';
import type { OpenKey } from '#main/sync/link/secure-socket.ts';
import type { SpaceKeyKeeper } from '#main/sync/space-key.ts';
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

export interface PairingDeskOptions {
  readonly key: OpenKey;
  readonly network: PeerNetwork;
  readonly peers: PeerStore;
  readonly devices: DeviceStore;
  readonly space: Space;
  readonly spaceKey: SpaceKeyKeeper;
  readonly clock: Clock;
  /** An invitation or a comparison has changed. */
  readonly onChange: () => void;
}

interface RunningComparison extends Comparison {
  readonly talk: PairingTalk<JoinerState> | PairingTalk<InviterState>;
}

export class PairingDesk {
  readonly #options: PairingDeskOptions;
  #invitations: Invitations = [];
  #waiting: Waiting = { is: 'not-waiting' };
  #comparison: RunningComparison | null = null;
  #releaseDoor: (() => void) | null = null;
  #callOff: () => void = () => undefined;

  constructor(options: PairingDeskOptions) {
    this.#options = options;
    options.network.onPairing((caller) => this.#greet(caller));
  }

  /** A link for one device, for ten minutes. */
  async invite(): Promise<{ readonly link: string; readonly invitation: Invitation }> {
    const { key, network, clock } = this.#options;
    await this.#spaceKey();
    const token = randomBytes(16).toString('hex');
    const { invitations, opened } = openInvitation(this.#invitations, token, clock.now());
    this.#invitations = invitations;
    await this.#tendDoor();
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

  /** This device answers comparisons from now on, for ten minutes. */
  async waitForComparison(): Promise<{ readonly until: number }> {
    const { clock } = this.#options;
    await this.#spaceKey();
    this.#waiting = startWaiting(clock.now());
    await this.#tendDoor();
    this.#options.onChange();
    return { until: this.#waiting.is === 'waiting' ? this.#waiting.until : clock.now() };
  }

  get isWaiting(): boolean {
    return this.#waiting.is === 'waiting' && this.#options.clock.now() < this.#waiting.until;
  }

  /** Resolves when the digits are known. Throws `PairingFailed`. */
  async compareWith(addresses: readonly string[]): Promise<Comparison> {
    if (this.#isComparing) throw new PairingFailed('busy');
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

  /** The one that goes on, or the last one. */
  get comparison(): Comparison | null {
    if (!this.#comparison) return null;
    const { talk: _, ...shown } = this.#comparison;
    return shown;
  }

  /** False when it is not going on any more. */
  answer(comparisonId: string, isSame: boolean): boolean {
    const running = this.#comparison;
    if (running?.id !== comparisonId || running.state.is !== 'comparing') return false;
    running.talk.tell({ type: isSame ? 'confirm' : 'reject' });
    return true;
  }

  stop(): void {
    this.#callOff();
    this.#comparison?.talk.tell({ type: 'fail', why: 'gone' });
    this.#releaseDoor?.();
  }

  get #isComparing(): boolean {
    const state = this.#comparison?.state.is;
    return state !== undefined && state !== 'paired' && state !== 'failed';
  }

  get #self(): PairingSelf {
    const { devices, key, network, space, peers } = this.#options;
    return {
      name: devices.get(key.deviceId)?.name ?? key.deviceId,
      addresses: network.addresses,
      space: { id: space.id, shared: peers.paired().length > 0 },
    };
  }

  /** So that the other side learns where to find this one afterwards. */
  async #whileReachable<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.#options.network.holdDoor();
    try {
      return await work();
    } finally {
      release();
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

  #startJoining({ stream, peer }: Dialled, how: JoinBy, tell: (state: JoinerState) => void): void {
    const { clock, key } = this.#options;
    const keys: BothKeys = { joiner: key.keyHash, inviter: peer.keyHash };
    const by = how.by;
    const id = randomBytes(16).toString('hex');
    const talk = new PairingTalk<JoinerState>(
      {
        stream,
        clock,
        deadline: clock.now() + LINK_HANDSHAKE_MS,
        step: (state, event) => stepJoiner(state, event, keys),
        onState: (state) => {
          const show = (shown: JoinerState): void => {
            if (by === 'comparison') this.#show(id, peer, shown);
            tell(shown);
          };
          if (state.is !== 'paired') return show(state);
          return void this.#join(peer, state, by).then(show);
        },
      },
      startJoining(this.#self, keys, how, clock.now()),
    );
    if (by === 'comparison') this.#keep(id, peer, talk);
  }

  #greet({ key: peer, stream }: Caller): void {
    const { clock, key } = this.#options;
    const keys: BothKeys = { joiner: peer.keyHash, inviter: key.keyHash };
    const refuse = (why: PairingFailure): void => {
      sendMessage(stream, { type: 'refuse', reason: why });
      stream.close(linkEnd('closed'));
    };
    const callOff = clock.wakeAt(clock.now() + LINK_HANDSHAKE_MS, () => refuse('timed-out'));
    stream.onEnd(callOff);
    stream.onFrame(({ kind, content }) => {
      callOff();
      const message = kind === 'data' ? decodeMessage(content) : 'garbled';
      if (typeof message === 'string') return refuse(message);
      if (message.type !== 'hello') return refuse('garbled');
      return this.#answer(peer, stream, keys, message);
    });
  }

  async #answer(peer: KeyName, stream: FrameStream, keys: BothKeys, hello: Hello): Promise<void> {
    const { clock } = this.#options;
    const spaceKey = await this.#spaceKey();
    const visit = {
      self: this.#self,
      keys,
      joinerId: peer.deviceId,
      now: clock.now(),
      nonce: randomBytes(32).toString('hex'),
      spaceKey,
    };
    const desk = {
      invitations: this.#invitations,
      waiting: this.#waiting,
      isComparing: this.#isComparing,
    };
    const { invitations, ...first } = answerHello(desk, hello, visit);
    this.#invitations = invitations;
    const isComparison = first.state.is === 'committed';
    const id = randomBytes(16).toString('hex');
    const talk = new PairingTalk<InviterState>(
      {
        stream,
        clock,
        deadline: clock.now() + LINK_HANDSHAKE_MS,
        step: (state, event) => stepInviter(state, event, visit),
        onState: (state) => {
          if (state.is === 'paired') this.#welcomed(peer, state.hello);
          if (isComparison) {
            if (state.is === 'failed') this.#waiting = countFailedComparison(this.#waiting);
            this.#show(id, peer, state);
          }
          void this.#tendDoor();
        },
      },
      first,
    );
    if (isComparison) this.#keep(id, peer, talk);
  }

  /** Both people need time: from here on the longer deadline holds. */
  #keep(id: string, peer: KeyName, talk: RunningComparison['talk']): void {
    talk.setDeadline(this.#options.clock.now() + COMPARISON_MS);
    this.#comparison = { id, peer, talk, ...describeComparison(talk.state, null) };
  }

  #show(id: string, peer: KeyName, state: JoinerState | InviterState): void {
    const running = this.#comparison;
    if (running?.id !== id) return;
    this.#comparison = { id, peer, talk: running.talk, ...describeComparison(state, running) };
    this.#options.onChange();
  }

  /** The key first: a crash in between leaves a device that is not paired, and may ask again. */
  async #join(
    peer: KeyName,
    state: Extract<JoinerState, { is: 'paired' }>,
    by: PairedBy,
  ): Promise<JoinerState> {
    const { peers, space, spaceKey, network } = this.#options;
    const { name, addresses, spaceId } = state.welcome;
    try {
      await spaceKey.take(state.welcome.spaceKey);
      space.join(spaceId, () => peers.pair({ ...peer, name, addresses, pairedBy: by }));
    } catch {
      return { is: 'failed', why: 'not-kept' };
    }
    network.refresh();
    return state;
  }

  /** Throws `PairingFailed` where it was sealed by a keychain that is not here. */
  async #spaceKey(): Promise<string> {
    try {
      return await this.#options.spaceKey.give();
    } catch (error) {
      if (error instanceof SecretMissing) throw new PairingFailed('no-key');
      throw error;
    }
  }

  #welcomed(peer: KeyName, { name, addresses, join }: Hello): void {
    const { peers, network } = this.#options;
    peers.pair({ ...peer, name, addresses, pairedBy: join.by });
    network.refresh();
    this.#options.onChange();
  }

  /** Open while anybody may come to be paired. */
  async #tendDoor(): Promise<void> {
    const { clock, network } = this.#options;
    const now = clock.now();
    const waitsUntil = this.#waiting.is === 'waiting' ? this.#waiting.until : 0;
    const isNeeded = isAnyOpen(this.#invitations, now) || now < waitsUntil || this.#isComparing;
    this.#callOff();
    if (!isNeeded) {
      if (!this.#releaseDoor) return;
      this.#releaseDoor();
      this.#releaseDoor = null;
      this.#options.onChange();
      return;
    }
    const ends = this.#invitations.map(({ expiresAt }) => expiresAt).concat(waitsUntil);
    const next = Math.min(...ends.filter((end) => end > now), now + COMPARISON_MS);
    this.#callOff = clock.wakeAt(next, () => void this.#tendDoor());
    if (this.#releaseDoor) return;
    // Taken before it is awaited: two at once would hold it twice.
    const held = network.holdDoor();
    this.#releaseDoor = () => void held.then((release) => release());
    await held;
  }
}
