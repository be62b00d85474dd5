// The calls to one outside host: who may go now, who waits, and until when. Calls go in the order in
// which they arrived, whatever workflow they belong to, so none starves. Pure; the times come from
// the caller. While the circuit is open, only its probe goes (circuit.ts).
import { backoffDelay } from '#shared/backoff.ts';
import { MAX_RETRY_AFTER_MS, RETRY_BASE_MS, RETRY_MAX_MS } from '#shared/limits.ts';
import {
  CLOSED,
  circuitAfter,
  isProbeDue,
  stillOpen,
  type Circuit,
} from '#shared/outside/circuit.ts';
import type { HostLimit } from '#shared/outside/host-limit.ts';

/** How long a call waits for its turn before its run ends and starts over when the turn comes. */
export const MAX_TURN_WAIT_MS = 5000;

/** How long the turn of a run that starts over stays reserved. */
const RESERVED_MS = 2000;

/** Calls that may start ahead of their turn, such as redirects, until later ones wait for them. */
const MAX_AHEAD = 10;

/** When to look again if all concurrent calls are in use. */
const BUSY_MS = 5000;

/** A place in the queue. */
export interface Ticket {
  readonly workflowId: string;
  /** Null while the call waits. Otherwise its run ended, and starts over at this time. */
  parkedUntil: number | null;
}

/** A call that was let through. */
export interface Pass {
  readonly enteredAt: number;
  /** The call that finds out whether the host can be reached again. */
  readonly isProbe: boolean;
}

/** How a call ended, as far as its host is concerned. */
export type CallEnd =
  | { readonly type: 'answered' }
  /** 429 or 503 with Retry-After. */
  | { readonly type: 'asked_to_wait'; readonly retryAfterMs: number }
  /** A read was answered with 502, 503 or 504. */
  | { readonly type: 'unavailable' }
  /** No connection. `isNetwork`: the reason concerns the network of this machine. */
  | { readonly type: 'unreachable'; readonly isNetwork: boolean }
  /** No complete answer. This says nothing about what the host wants. */
  | { readonly type: 'unanswered' };

/** Nobody may call before `until`; null: before the host can be reached. */
export interface GateWait {
  readonly until: number | null;
}

export class HostGate {
  limit: HostLimit = {};
  #tickets: Ticket[] = [];
  #active = 0;
  /** When the next call may start (a token bucket of size one). */
  #freeAt = 0;
  #heldUntil = 0;
  /** When the host last asked to wait, and how often in a row. */
  #askedAt = -Infinity;
  #asked = 0;
  #circuit: Circuit = CLOSED;

  constructor(heldUntil = 0) {
    this.#heldUntil = heldUntil;
  }

  /** After a restart: the host could not be reached before. */
  reopen(since: number, now: number): void {
    this.#circuit = stillOpen(since, now);
  }

  /** Since when the host can't be reached; null if it can. */
  get downSince(): number | null {
    return this.#circuit.type === 'open' ? this.#circuit.since : null;
  }

  /** When the next probe may go; null if none is needed or one is under way. */
  get probeAt(): number | null {
    return this.#circuit.type === 'open' && !this.#circuit.isProbing ? this.#circuit.probeAt : null;
  }

  /** The next probe may go at once. */
  retryNow(now: number, isFresh: boolean): void {
    this.#circuit = circuitAfter(this.#circuit, { type: 'retry_now', isFresh }, now);
  }

  /** Why a call may not go now, apart from limits; null if it may. */
  waitAt(now: number): GateWait | null {
    const until = this.heldUntil(now);
    if (until !== null) return { until };
    return this.downSince !== null && !isProbeDue(this.#circuit, now) ? { until: null } : null;
  }

  get active(): number {
    return this.#active;
  }

  get tickets(): readonly Ticket[] {
    return this.#tickets;
  }

  /** Nothing would be lost with this gate. */
  isIdle(now: number): boolean {
    const isUsed = this.#active > 0 || this.#tickets.length > 0 || this.#tokenAt(now) > now;
    const asksOften = this.#asked > 0 && now - this.#askedAt < MAX_RETRY_AFTER_MS;
    const isUp = this.#circuit.type === 'closed' && this.#circuit.unavailable === 0;
    return !isUsed && !asksOften && isUp && this.heldUntil(now) === null;
  }

  /** Until when the host asked to wait. Null for a time that only a clock set back can explain. */
  heldUntil(now: number): number | null {
    const isSane = this.#heldUntil <= now + MAX_RETRY_AFTER_MS;
    return this.#heldUntil > now && isSane ? this.#heldUntil : null;
  }

  /** Takes the place that the workflow's ended run left, or the last one. */
  arrive(workflowId: string): Ticket {
    const left = this.#tickets.find(
      (ticket) => ticket.workflowId === workflowId && ticket.parkedUntil !== null,
    );
    if (left) {
      left.parkedUntil = null;
      return left;
    }
    const ticket: Ticket = { workflowId, parkedUntil: null };
    this.#tickets.push(ticket);
    return ticket;
  }

  /** Gives the place up. */
  abandon(ticket: Ticket): void {
    this.#tickets = this.#tickets.filter((other) => other !== ticket);
  }

  /** Keeps a place for the workflow, whose run starts over now. */
  reserve(workflowId: string, now: number): void {
    if (this.#tickets.some((ticket) => ticket.workflowId === workflowId)) return;
    this.#tickets.push({ workflowId, parkedUntil: now });
  }

  /** Leaves the place reserved for the next call of the workflow. Returns when to come back; null:
   * when the host can be reached. */
  park(ticket: Ticket, now: number): number | null {
    const held = this.heldUntil(now);
    if (held === null && this.downSince !== null) {
      this.abandon(ticket);
      return null;
    }
    const until = held ?? Math.max(this.expectedAt(ticket, now), now + 1);
    // After a hold nothing paces the calls unless there is a limit, which takes them as they come.
    if (held !== null) this.abandon(ticket);
    else ticket.parkedUntil = until;
    return until;
  }

  /** When the turn of this ticket comes, at the earliest. */
  expectedAt(ticket: Ticket, now: number): number {
    if (this.downSince !== null) return Infinity;
    const place = this.#tickets.indexOf(ticket);
    const start = Math.max(now, this.#tokenAt(now), this.heldUntil(now) ?? 0);
    const paced = Math.ceil(start + place * this.#intervalMs);
    return this.#isFull ? Math.max(paced, now + BUSY_MS) : paced;
  }

  /** Lets through everyone whose turn it is. `nextAt`: when the next turn comes by time alone. */
  serve(now: number): {
    readonly passed: readonly Ticket[];
    readonly isProbe?: true;
    readonly nextAt: number | null;
  } {
    const held = this.heldUntil(now);
    if (held !== null) return { passed: [], nextAt: held };
    if (this.downSince !== null) return this.#serveProbe(now);
    this.#tickets = this.#tickets.filter(
      ({ parkedUntil }) => parkedUntil === null || now < parkedUntil + RESERVED_MS,
    );
    const passed: Ticket[] = [];
    let nextAt: number | null = null;
    for (const ticket of this.#tickets) {
      if (this.#isFull) break;
      if (this.#tokenAt(now) > now) {
        nextAt = this.#tokenAt(now);
        break;
      }
      if (ticket.parkedUntil !== null) {
        // Until its turn comes, others may go.
        if (now < ticket.parkedUntil) continue;
        nextAt = ticket.parkedUntil + RESERVED_MS;
        break;
      }
      this.#take(now);
      passed.push(ticket);
    }
    this.#tickets = this.#tickets.filter((ticket) => !passed.includes(ticket));
    return { passed, nextAt };
  }

  /** Lets a call through without waiting, such as a redirect of one that was let through. */
  passNow(now: number): Pass {
    this.#take(now);
    return { enteredAt: now, isProbe: this.#startProbe(now) };
  }

  /** Call when a call that was let through has ended. Returns the wait that follows. */
  leave(
    pass: Pass,
    end: CallEnd,
    now: number,
    { random, hasAddress }: { readonly random: number; readonly hasAddress: boolean },
  ): GateWait | null {
    this.#active -= 1;
    const wasDown = this.downSince !== null;
    switch (end.type) {
      case 'answered':
        if (pass.enteredAt > this.#askedAt) this.#asked = 0;
        this.#circuit = circuitAfter(this.#circuit, end, now);
        return null;
      case 'asked_to_wait':
        this.#circuit = circuitAfter(this.#circuit, { type: 'answered' }, now);
        return { until: this.#hold(pass, end.retryAfterMs, now, random) };
      case 'unreachable':
      case 'unavailable':
        // Calls that were under way when the host failed first are not a second failure.
        if (!wasDown || pass.isProbe) {
          const { type } = end;
          this.#circuit = circuitAfter(this.#circuit, { type, random, hasAddress }, now);
        }
        return this.downSince === null ? null : { until: null };
      case 'unanswered':
        // The connection was lost in the middle, or the call was never made. Another one probes.
        if (pass.isProbe && wasDown) {
          this.#circuit = circuitAfter(
            circuitAfter(this.#circuit, { type: 'probe_dropped' }, now),
            { type: 'unavailable', random, hasAddress },
            now,
          );
        }
        return null;
    }
  }

  #hold({ enteredAt }: Pass, retryAfterMs: number, now: number, random: number): number {
    // Calls that were under way when the host asked first are not a second refusal.
    if (enteredAt > this.#askedAt || this.#asked === 0) {
      this.#asked += 1;
      this.#askedAt = now;
    }
    const backoff = { baseMs: RETRY_BASE_MS, maxMs: RETRY_MAX_MS };
    const asked = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    const until = now + Math.max(asked, backoffDelay(this.#asked, backoff, random));
    this.#heldUntil = Math.max(this.heldUntil(now) ?? 0, until);
    return this.#heldUntil;
  }

  #serveProbe(now: number): ReturnType<HostGate['serve']> {
    const first = this.#tickets.find(({ parkedUntil }) => parkedUntil === null);
    if (!first || !this.#startProbe(now)) return { passed: [], nextAt: null };
    this.#take(now);
    this.abandon(first);
    return { passed: [first], isProbe: true, nextAt: null };
  }

  #startProbe(now: number): boolean {
    if (!isProbeDue(this.#circuit, now)) return false;
    this.#circuit = circuitAfter(this.#circuit, { type: 'probe' }, now);
    return true;
  }

  #take(now: number): void {
    this.#active += 1;
    const next = Math.max(now, this.#tokenAt(now)) + this.#intervalMs;
    this.#freeAt = Math.min(next, now + MAX_AHEAD * this.#intervalMs);
  }

  /** A time further ahead than that was stored before the clock was set back. */
  #tokenAt(now: number): number {
    return this.#freeAt <= now + MAX_AHEAD * this.#intervalMs ? this.#freeAt : now;
  }

  get #intervalMs(): number {
    return this.limit.perSecond === undefined ? 0 : 1000 / this.limit.perSecond;
  }

  get #isFull(): boolean {
    return this.#active >= (this.limit.concurrent ?? Infinity);
  }
}
