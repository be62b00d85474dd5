// The outside hosts of this device. Every call of every workflow enters here before it connects, so
// that limits and `Retry-After` of a host hold for all of them. A wait of more than a few seconds is
// given back to the caller, whose run ends and starts over when the turn comes. While a host can't be
// reached, its calls are given back at once, and a listener is notified when one may probe and when
// all may continue.
import type { Clock } from '#shared/clock.ts';
import {
  HostGate,
  MAX_TURN_WAIT_MS,
  type CallEnd,
  type Pass,
  type Ticket,
} from '#shared/outside/host-gate.ts';
import {
  UNSEEN,
  hasAddress,
  isLoopbackHost,
  isOffline,
  mayBeBack,
  networkAfter,
  type Network,
  type NetworkEvent,
  type NetworkSighting,
} from '#shared/outside/network.ts';
import { strictest, type HostLimit } from '#shared/outside/host-limit.ts';

/** Time that woken work has to make its probe before other work is woken. */
const PROBE_PATIENCE_MS = 5000;

/** Nothing was sent. */
export interface HostWait {
  readonly type: 'waits';
  readonly host: string;
  /** The host may be called from this time on; null: once it can be reached. */
  readonly until: number | null;
}

/** A call that may connect. Call `leave` once it has ended. */
export interface HostVisit {
  readonly type: 'entered';
  readonly host: string;
  readonly isProbe: boolean;
  /** Returns the wait that follows. */
  leave(end: CallEnd): HostWait | null;
}

/** The work that waits for hosts, which its owner stores. Called synchronously, also from within a call. */
export interface WaitingWork {
  /** Wakes one piece of work that waits for the host. False: none does. */
  probe(host: string): boolean;
  /** The host can be reached again: wakes everything that waits for it. */
  goOn(host: string): void;
  /** The network is back, the machine woke up, or a person said so: retries need not wait. */
  retry(): void;
}

/** The way out of one call: every host that it contacts is entered here. */
export interface Doorway {
  /** Before connecting to a host. If it `waits`, nothing may be sent to it. */
  enter(host: string): Promise<HostVisit | HostWait>;
}

export interface OutsideHostsOptions {
  readonly clock: Clock;
  /** From 0 to 1, for the jitter of backoff. */
  readonly random: () => number;
  /** How long a call waits for its turn within its run; `MAX_TURN_WAIT_MS` by default. */
  readonly turnWaitMs?: number | undefined;
  readonly limitsOf: (host: string) => readonly HostLimit[];
  /** Survives a restart: the hosts that asked to wait, with the time. */
  readonly holds: {
    load(): { readonly [host: string]: number };
    save(holds: { readonly [host: string]: number }): void;
  };
  /** The hosts that can't be reached, with the start of the outage. Survives a restart. */
  readonly circuits: {
    load(): { readonly [host: string]: number };
    save(circuits: { readonly [host: string]: number }): void;
  };
}

export interface HostState {
  readonly host: string;
  /** The strictest limits that hold. */
  readonly limit: HostLimit;
  /** Until when the host asked to wait. */
  readonly heldUntil: number | null;
  /** Since when it can't be reached. */
  readonly downSince: number | null;
  /** Calls under way. */
  readonly active: number;
  /** Calls and ended runs that wait for their turn. */
  readonly waiting: number;
}

interface Waiter {
  readonly giveUpAt: number;
  readonly done: (outcome: HostVisit | HostWait) => void;
}

interface Entry {
  readonly gate: HostGate;
  readonly waiters: Map<Ticket, Waiter>;
  cancelTimer: () => void;
  cancelProbe: () => void;
  /** A call was given back since work was last woken to probe. */
  hasNewWork: boolean;
}

export class OutsideHosts {
  readonly #options: OutsideHostsOptions;
  readonly #entries = new Map<string, Entry>();
  #network: Network = UNSEEN;
  /** The waiting work of the engine and of dry runs. */
  readonly #works = new Set<WaitingWork>();
  #onDown: () => void = () => undefined;

  constructor(options: OutsideHostsOptions) {
    this.#options = options;
    for (const [host, until] of Object.entries(options.holds.load())) {
      this.#entries.set(host, newEntry(until));
    }
    for (const [host, since] of Object.entries(options.circuits.load())) {
      this.#entryOf(host).gate.reopen(since, options.clock.now());
    }
  }

  /** Notifies this from now on when work may continue. */
  serve(work: WaitingWork): void {
    this.#works.add(work);
    for (const [host, entry] of this.#entries) this.#planProbe(host, entry);
  }

  forget(work: WaitingWork): void {
    this.#works.delete(work);
    if (this.#works.size > 0) return;
    for (const entry of this.#entries.values()) entry.cancelProbe();
  }

  /** Called whenever a host that needs the network can't be reached. */
  onDown(listener: () => void): void {
    this.#onDown = listener;
  }

  /** Whether a host that needs the network can't be reached. */
  get isAnyDown(): boolean {
    return [...this.#entries].some(
      ([host, { gate }]) => gate.downSince !== null && !isLoopbackHost(host),
    );
  }

  /** Whether calls to this host wait for the network of this machine. */
  waitsForNetwork(host: string): boolean {
    return isOffline(this.#network) && !isLoopbackHost(host);
  }

  /** Since when the host can't be reached; null if it can. */
  downSince(host: string): number | null {
    return this.#entries.get(host)?.gate.downSince ?? null;
  }

  /** Takes in the network state that the operating system reports. */
  see(sighting: NetworkSighting): void {
    this.#noteNetwork({ type: 'seen', sighting });
  }

  /** Each host that can't be reached is tried now, with one call. */
  retryNow(isFresh = true): void {
    const now = this.#options.clock.now();
    for (const [host, entry] of this.#entries) {
      if (entry.gate.downSince === null) continue;
      entry.gate.retryNow(now, isFresh);
      this.#probe(host, entry);
    }
    for (const work of this.#works) work.retry();
  }

  /** Keeps places at the host for the ended runs of these workflows, in this order. */
  reserve(host: string, workflowIds: Iterable<string>): void {
    const { gate } = this.#entryOf(host);
    // Without a limit nobody waits for a turn.
    if (gate.limit.perSecond === undefined && gate.limit.concurrent === undefined) return;
    for (const workflowId of workflowIds) gate.reserve(workflowId, this.#options.clock.now());
  }

  /** Waits a few seconds at most. Aborting the signal ends the wait. */
  enter(host: string, workflowId: string, signal: AbortSignal): Promise<HostVisit | HostWait> {
    const entry = this.#entryOf(host);
    const { clock } = this.#options;
    const now = clock.now();
    const ticket = entry.gate.arrive(workflowId);
    return new Promise((resolve) => {
      const stop = (): void => {
        entry.waiters.delete(ticket);
        entry.gate.abandon(ticket);
        resolve({ type: 'waits', host, until: clock.now() });
        this.#serve(host, entry);
      };
      const done = (outcome: HostVisit | HostWait): void => {
        signal.removeEventListener('abort', stop);
        resolve(outcome);
      };
      if (signal.aborted) return stop();
      const { turnWaitMs = MAX_TURN_WAIT_MS } = this.#options;
      const latest = now + turnWaitMs;
      const isFar = entry.gate.expectedAt(ticket, now) > latest;
      entry.waiters.set(ticket, { giveUpAt: isFar ? now : latest, done });
      this.#serve(host, entry);
      // Only a call that waits needs a listener.
      if (entry.waiters.has(ticket)) signal.addEventListener('abort', stop);
      return undefined;
    });
  }

  /** For a call that can't wait: a redirect, or an effect that is in flight. */
  enterNow(host: string): HostVisit | HostWait {
    const wait = this.waitOf(host);
    if (!wait) {
      return this.#visit(host, this.#entryOf(host).gate.passNow(this.#options.clock.now()));
    }
    if (wait.until === null) this.#planProbeOfNewWork(host, this.#entryOf(host));
    return wait;
  }

  /** Why a call may not go now, apart from limits. */
  waitOf(host: string): HostWait | null {
    const wait = this.#entries.get(host)?.gate.waitAt(this.#options.clock.now()) ?? null;
    return wait && { type: 'waits', host, until: wait.until };
  }

  /** Why a call that was let through must wait after all. */
  waitOfVisit({ host, isProbe }: HostVisit): HostWait | null {
    const wait = this.waitOf(host);
    return isProbe && wait?.until === null ? null : wait;
  }

  /** The hosts in use or with a wait, by name. */
  list(): HostState[] {
    const now = this.#options.clock.now();
    return [...this.#entries]
      .filter(([, { gate }]) => !gate.isIdle(now))
      .map(([host, { gate }]) => ({
        host,
        limit: this.limitOf(host),
        heldUntil: gate.heldUntil(now),
        downSince: gate.downSince,
        active: gate.active,
        waiting: gate.tickets.length,
      }))
      .toSorted((a, b) => (a.host < b.host ? -1 : 1));
  }

  limitOf(host: string): HostLimit {
    return strictest(this.#options.limitsOf(host));
  }

  /** Call when the limits may have changed. */
  limitsChanged(): void {
    for (const [host, entry] of this.#entries) {
      entry.gate.limit = this.limitOf(host);
      this.#serve(host, entry);
    }
  }

  #entryOf(host: string): Entry {
    const entry = this.#entries.get(host) ?? newEntry(0);
    this.#entries.set(host, entry);
    entry.gate.limit = this.limitOf(host);
    return entry;
  }

  #serve(host: string, entry: Entry): void {
    const { clock } = this.#options;
    const now = clock.now();
    const { passed, isProbe = false, nextAt } = entry.gate.serve(now);
    for (const ticket of passed) {
      const waiter = entry.waiters.get(ticket);
      entry.waiters.delete(ticket);
      waiter?.done(this.#visit(host, { enteredAt: now, isProbe }));
    }
    for (const [ticket, { giveUpAt, done }] of entry.waiters) {
      if (giveUpAt > now) continue;
      entry.waiters.delete(ticket);
      const until = entry.gate.park(ticket, now);
      if (until === null) this.#planProbeOfNewWork(host, entry);
      done({ type: 'waits', host, until });
    }
    entry.cancelTimer();
    entry.cancelTimer = () => undefined;
    if (entry.waiters.size === 0) return this.#dropIfIdle(host, entry);
    const giveUps = [...entry.waiters.values()].map(({ giveUpAt }) => giveUpAt);
    const next = Math.min(nextAt ?? Infinity, ...giveUps);
    entry.cancelTimer = clock.wakeAt(next, () => this.#serve(host, entry));
  }

  #visit(host: string, pass: Pass): HostVisit {
    let isOver = false;
    return {
      type: 'entered',
      host,
      isProbe: pass.isProbe,
      leave: (end) => {
        if (isOver) return null;
        isOver = true;
        const entry = this.#entries.get(host);
        return entry ? this.#leave(host, entry, pass, end) : null;
      },
    };
  }

  #leave(host: string, entry: Entry, pass: Pass, end: CallEnd): HostWait | null {
    const { clock, random } = this.#options;
    const { gate } = entry;
    if (end.type === 'unreachable' && end.isNetwork) this.#noteCall(host, 'unreachable');
    const wasDown = gate.downSince !== null;
    const how = { random: random(), hasAddress: isLoopbackHost(host) || hasAddress(this.#network) };
    const wait = gate.leave(pass, end, clock.now(), how);
    const isDown = gate.downSince !== null;
    if (wait && wait.until !== null) this.#saveHolds();
    if (wasDown !== isDown) this.#saveCircuits();
    if (wasDown && !isDown) {
      entry.cancelProbe();
      for (const work of this.#works) work.goOn(host);
    }
    if (isDown) {
      this.#planProbeOfNewWork(host, entry);
      if (!isLoopbackHost(host)) this.#onDown();
    }
    if (end.type === 'answered' || end.type === 'asked_to_wait') this.#noteCall(host, 'reached');
    this.#serve(host, entry);
    return wait && { type: 'waits', host, until: wait.until };
  }

  #noteCall(host: string, type: 'reached' | 'unreachable'): void {
    if (!isLoopbackHost(host)) this.#noteNetwork({ type, at: this.#options.clock.now() });
  }

  #noteNetwork(event: NetworkEvent): void {
    const before = this.#network;
    this.#network = networkAfter(before, event);
    if (mayBeBack(before, this.#network)) this.retryNow(event.type === 'seen');
  }

  #planProbeOfNewWork(host: string, entry: Entry): void {
    entry.hasNewWork = true;
    this.#planProbe(host, entry);
  }

  #planProbe(host: string, entry: Entry, notBefore = 0): void {
    entry.cancelProbe();
    const { probeAt } = entry.gate;
    if (probeAt === null || this.#works.size === 0) return;
    const at = Math.max(probeAt, notBefore);
    entry.cancelProbe = this.#options.clock.wakeAt(at, () => this.#probe(host, entry));
  }

  /** Wakes work to probe. Later other work, if that one doesn't call. */
  #probe(host: string, entry: Entry): void {
    const { gate } = entry;
    if (gate.probeAt === null) return;
    const isWoken = [...this.#works].some((work) => work.probe(host));
    // Work that was given back just now may not be stored yet.
    const isWorkLeft = isWoken || entry.hasNewWork;
    entry.hasNewWork = false;
    entry.cancelProbe();
    if (isWorkLeft) this.#planProbe(host, entry, this.#options.clock.now() + PROBE_PATIENCE_MS);
  }

  #saveHolds(): void {
    const now = this.#options.clock.now();
    this.#options.holds.save(this.#timesOf(({ gate }) => gate.heldUntil(now)));
  }

  #saveCircuits(): void {
    this.#options.circuits.save(this.#timesOf(({ gate }) => gate.downSince));
  }

  #timesOf(timeOf: (entry: Entry) => number | null): { [host: string]: number } {
    const times = [...this.#entries].flatMap(([host, entry]) => {
      const time = timeOf(entry);
      return time === null ? [] : [[host, time] as const];
    });
    return Object.fromEntries(times);
  }

  #dropIfIdle(host: string, entry: Entry): void {
    if (entry.gate.isIdle(this.#options.clock.now())) this.#entries.delete(host);
  }
}

function newEntry(heldUntil: number): Entry {
  return {
    gate: new HostGate(heldUntil),
    waiters: new Map(),
    cancelTimer: () => undefined,
    cancelProbe: () => undefined,
    hasNewWork: false,
  };
}
