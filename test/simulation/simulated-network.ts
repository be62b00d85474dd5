// The network between the devices: one link for every pair that is not partitioned. Frames arrive in
// order after a random delay. A damaged frame ends the link, as it would with TLS.
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import type { Random } from '#test/support/seeded-random.ts';
import type { SimulatedClock } from '#main/testing/simulated-clock.ts';

/** Damaged frames per thousand. */
const DAMAGED_PER_MILLE = 4;
const MAX_DELAY_MS = 400;
/** Doubles with each link that ended soon, as with a peer of another version. */
const REDIAL_MS = 2000;
const MAX_REDIAL_MS = 60_000;
const SOON_MS = 10_000;

export interface Station {
  readonly name: string;
  /** Called with each new link. */
  connected(link: Link): void;
}

const CUT: LinkEnd = { name: 'cut', message: 'The connection was cut.' };
const DAMAGED: LinkEnd = { name: 'damaged', message: 'A frame was damaged in transit.' };

export class Network {
  readonly #clock: SimulatedClock;
  readonly #random: Random;
  readonly #stations = new Map<string, Station>();
  readonly #cuts = new Set<string>();
  readonly #asleep = new Set<string>();
  readonly #pairs = new Map<string, readonly [End, End]>();
  /** How many links in a row ended soon. */
  readonly #shortLinks = new Map<string, number>();
  frames = 0;

  constructor(clock: SimulatedClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  join(station: Station): void {
    this.#stations.set(station.name, station);
    for (const other of this.#stations.keys()) {
      this.#shortLinks.delete(pairOf(station.name, other));
      this.#dial(station.name, other);
    }
  }

  /** The process of the station has ended. */
  leave(name: string): void {
    this.#stations.delete(name);
    this.#asleep.delete(name);
    for (const [pair, [end]] of this.#pairs) if (pair.split(' ').includes(name)) end.close(CUT);
  }

  /** Its links stay until a peer gives up. It opens no others. */
  fallAsleep(name: string): void {
    this.#asleep.add(name);
  }

  wakeUp(name: string): void {
    this.#asleep.delete(name);
    for (const other of this.#stations.keys()) this.#dial(name, other);
  }

  areConnected(a: string, b: string): boolean {
    return a !== b && !this.#cuts.has(pairOf(a, b));
  }

  cut(a: string, b: string): void {
    this.#cuts.add(pairOf(a, b));
    this.#pairs.get(pairOf(a, b))?.[0].close(CUT);
  }

  heal(a: string, b: string): void {
    if (this.#cuts.delete(pairOf(a, b))) this.#dial(a, b);
  }

  healAll(): void {
    for (const pair of this.#cuts) this.heal(...(pair.split(' ') as [string, string]));
  }

  #dial(a: string, b: string): void {
    const pair = pairOf(a, b);
    const [one, other] = [this.#stations.get(a), this.#stations.get(b)];
    if (a === b || !one || !other || this.#cuts.has(pair) || this.#pairs.has(pair)) return;
    if (this.#asleep.has(a) || this.#asleep.has(b)) return;
    const ends = this.#connect(one.name, other.name, pair);
    this.#pairs.set(pair, ends);
    one.connected(ends[0]);
    other.connected(ends[1]);
  }

  #connect(a: string, b: string, pair: string): readonly [End, End] {
    const openedAt = this.#clock.now();
    const over = (): void => {
      this.#pairs.delete(pair);
      const now = this.#clock.now();
      const before = now - openedAt < SOON_MS ? (this.#shortLinks.get(pair) ?? 0) : 0;
      this.#shortLinks.set(pair, before + 1);
      const wait = Math.min(MAX_REDIAL_MS, REDIAL_MS * 2 ** before);
      this.#clock.wakeAt(now + wait, () => this.#dial(a, b));
    };
    const carry = (frame: Uint8Array, to: End): void => {
      this.frames += 1;
      const copy = Uint8Array.from(frame);
      const isDamaged = this.#random.int(1000) < DAMAGED_PER_MILLE;
      // Never before an earlier frame.
      to.dueAt = Math.max(to.dueAt, this.#clock.now() + this.#random.int(MAX_DELAY_MS));
      this.#clock.wakeAt(to.dueAt, () => (isDamaged ? to.close(DAMAGED) : to.deliver(copy)));
    };
    const first: End = new End(
      b,
      (frame) => carry(frame, second),
      () => second,
      over,
    );
    const second: End = new End(
      a,
      (frame) => carry(frame, first),
      () => first,
      () => undefined,
    );
    return [first, second];
  }
}

class End implements Link {
  readonly peerId: string;
  dueAt = 0;
  readonly #carry: (frame: Uint8Array) => void;
  readonly #other: () => End;
  readonly #over: () => void;
  readonly #closeListeners: ((end: LinkEnd) => void)[] = [];
  #listener: ((frame: Uint8Array) => Promise<void> | void) | undefined;
  #isOver = false;
  /** Frames are delivered one at a time. */
  #delivery: Promise<void> = Promise.resolve();

  constructor(
    peerId: string,
    carry: (frame: Uint8Array) => void,
    other: () => End,
    over: () => void,
  ) {
    this.peerId = peerId;
    this.#carry = carry;
    this.#other = other;
    this.#over = over;
  }

  async send(frame: Uint8Array): Promise<void> {
    if (this.#isOver) throw new Error('The link has ended.');
    this.#carry(frame);
  }

  onFrame(listener: (frame: Uint8Array) => Promise<void> | void): void {
    this.#listener = listener;
  }

  onClose(listener: (reason: LinkEnd) => void): void {
    this.#closeListeners.push(listener);
  }

  close(reason: LinkEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const listener of this.#closeListeners) listener(reason);
    this.#other().close(reason);
    this.#over();
  }

  deliver(frame: Uint8Array): void {
    this.#delivery = this.#delivery.then(async () => {
      if (!this.#isOver) await this.#listener?.(frame);
    });
  }
}

function pairOf(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
