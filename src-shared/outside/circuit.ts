// The circuit breaker of one outside host. The circuit is open while the host can't be reached; then one
// call at a time is let through as a probe, with backoff, until one gets an answer. Pure; the times come
// from the caller.
import { backoffDelay, longestDelay } from '#shared/backoff.ts';
import { waitingAfter } from '#shared/outside/outside-waiting.ts';

/** The backoff of probes: a host that is back is in use within a minute or so. */
const PROBE = { baseMs: 1000, maxMs: 60_000 };

/** After an hour a few minutes more don't matter, but each probe is a run in the history. */
const LONG_OUTAGE_MS = 3_600_000;
const PROBE_IN_LONG_OUTAGE = { baseMs: 1000, maxMs: 300_000 };

/** While this machine has no network address, a probe can hardly succeed. Its return is noticed by the
 * address; probes are for hosts that are reached without one. */
const PROBE_WITHOUT_ADDRESS = { baseMs: 60_000, maxMs: 3_600_000 };

const LONGEST_PROBE_MS = longestDelay(PROBE_WITHOUT_ADDRESS);

/** 502, 503 and 504 may concern one address of the host, so one of them doesn't open the circuit. */
const UNAVAILABLE_BEFORE_OPEN = 3;

export type Circuit =
  /** `unavailable`: the number of answers in a row that said so. */
  | { readonly type: 'closed'; readonly unavailable: number }
  | {
      readonly type: 'open';
      readonly since: number;
      /** The time of the last failure. */
      readonly at: number;
      readonly failures: number;
      readonly probeAt: number;
      readonly isProbing: boolean;
    };

export type CircuitEvent =
  /** No connection. */
  | { readonly type: 'unreachable'; readonly random: number; readonly hasAddress: boolean }
  /** 502, 503 or 504, or a probe that got no answer. */
  | { readonly type: 'unavailable'; readonly random: number; readonly hasAddress: boolean }
  | { readonly type: 'answered' }
  | { readonly type: 'probe' }
  /** The probe was not made. */
  | { readonly type: 'probe_dropped' }
  /** `isFresh`: the network has changed, the machine woke up, or a person said so. */
  | { readonly type: 'retry_now'; readonly isFresh: boolean };

export const CLOSED: Circuit = { type: 'closed', unavailable: 0 };

/** A circuit that was open when the host stopped: its first call is a probe. */
export function stillOpen(since: number, now: number): Circuit {
  return {
    type: 'open',
    since: Math.min(since, now),
    at: now,
    failures: 0,
    probeAt: now,
    isProbing: false,
  };
}

export function circuitAfter(circuit: Circuit, event: CircuitEvent, now: number): Circuit {
  switch (event.type) {
    case 'answered':
      return CLOSED;
    case 'unreachable':
      return opened(circuit, event, now);
    case 'unavailable': {
      if (circuit.type === 'open') return opened(circuit, event, now);
      const unavailable = circuit.unavailable + 1;
      return unavailable < UNAVAILABLE_BEFORE_OPEN
        ? { type: 'closed', unavailable }
        : opened(circuit, event, now);
    }
    case 'probe':
      return circuit.type === 'open' ? { ...circuit, isProbing: true } : circuit;
    case 'probe_dropped':
      return circuit.type === 'open' ? { ...circuit, isProbing: false } : circuit;
    case 'retry_now':
      if (circuit.type === 'closed') return circuit;
      return { ...circuit, failures: event.isFresh ? 0 : circuit.failures, probeAt: now };
  }
}

export function isProbeDue(circuit: Circuit, now: number): boolean {
  if (circuit.type === 'closed' || circuit.isProbing) return false;
  // A time further ahead than that was set before the clock was set back.
  return circuit.probeAt <= now || circuit.probeAt > now + LONGEST_PROBE_MS;
}

function opened(
  circuit: Circuit,
  { random, hasAddress }: { readonly random: number; readonly hasAddress: boolean },
  now: number,
): Circuit {
  const before = circuit.type === 'open' ? circuit : null;
  const failures = (before?.failures ?? 0) + 1;
  const { since, at } = waitingAfter(before, now);
  const isLong = now - since >= LONG_OUTAGE_MS;
  const withAddress = isLong ? PROBE_IN_LONG_OUTAGE : PROBE;
  const backoff = hasAddress ? withAddress : PROBE_WITHOUT_ADDRESS;
  return {
    type: 'open',
    since,
    at,
    failures,
    probeAt: now + backoffDelay(failures, backoff, random),
    isProbing: false,
  };
}
