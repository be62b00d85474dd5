// The outside hosts of this device. Every call of every workflow enters here before it connects, so
// that limits and `Retry-After` of a host hold for all of them. A wait of more than a few seconds is
// given back to the caller, whose run ends and starts over when the turn comes.
import type { Clock } from '#shared/clock.ts';
import {
  HostGate,
  MAX_TURN_WAIT_MS,
  type CallEnd,
  type Pass,
  type Ticket,
} from '#shared/outside/host-gate.ts';
import { strictest, type HostLimit } from '#shared/outside/host-limit.ts';

/** Nothing was sent; the host may be called from this time on. */
export interface HostWait {
  readonly type: 'waits';
  readonly host: string;
  readonly until: number;
}

/** A call that may connect. Call `leave` once it has ended. */
export interface HostVisit {
  readonly type: 'entered';
  readonly host: string;
  /** Returns the wait that the host asked for. */
  leave(end: CallEnd): HostWait | null;
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
}

export interface HostState {
  readonly host: string;
  /** The strictest limits that hold. */
  readonly limit: HostLimit;
  /** Until when the host asked to wait. */
  readonly heldUntil: number | null;
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
}

export class OutsideHosts {
  readonly #options: OutsideHostsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: OutsideHostsOptions) {
    this.#options = options;
    for (const [host, until] of Object.entries(options.holds.load())) {
      this.#entries.set(host, newEntry(until));
    }
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
    return wait ?? this.#visit(host, this.#entryOf(host).gate.passNow(this.#options.clock.now()));
  }

  /** The wait that the host asked for. */
  waitOf(host: string): HostWait | null {
    const until = this.#entries.get(host)?.gate.heldUntil(this.#options.clock.now()) ?? null;
    return until === null ? null : { type: 'waits', host, until };
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
    const { passed, nextAt } = entry.gate.serve(now);
    for (const ticket of passed) {
      const waiter = entry.waiters.get(ticket);
      entry.waiters.delete(ticket);
      waiter?.done(this.#visit(host, { enteredAt: now }));
    }
    for (const [ticket, { giveUpAt, done }] of entry.waiters) {
      if (giveUpAt > now) continue;
      entry.waiters.delete(ticket);
      done({ type: 'waits', host, until: entry.gate.park(ticket, now) });
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
      leave: (end) => {
        if (isOver) return null;
        isOver = true;
        const entry = this.#entries.get(host);
        if (!entry) return null;
        const { clock, random } = this.#options;
        const until = entry.gate.leave(pass, end, clock.now(), random());
        if (until !== null) this.#saveHolds();
        this.#serve(host, entry);
        return until === null ? null : { type: 'waits', host, until };
      },
    };
  }

  #saveHolds(): void {
    const now = this.#options.clock.now();
    const holds = [...this.#entries].flatMap(([host, { gate }]) => {
      const until = gate.heldUntil(now);
      return until === null ? [] : [[host, until] as const];
    });
    this.#options.holds.save(Object.fromEntries(holds));
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
  };
}
