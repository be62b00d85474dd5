// The circuit of a host, the network of this machine and the length of a wait.
import { describe, expect, test } from 'vitest';
import {
  CLOSED,
  circuitAfter,
  isProbeDue,
  stillOpen,
  type Circuit,
} from '#shared/outside/circuit.ts';
import { HostGate } from '#shared/outside/host-gate.ts';
import {
  UNSEEN,
  hasAddress,
  isLoopbackHost,
  isOffline,
  mayBeBack,
  networkAfter,
  type Network,
  type NetworkEvent,
} from '#shared/outside/network.ts';
import { waitedMs, waitingAfter } from '#shared/outside/outside-waiting.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOW = { random: 0, hasAddress: true };
const unreachable = { type: 'unreachable', ...HOW } as const;

type Open = Extract<Circuit, { type: 'open' }>;

function failures(count: number, how = HOW): Open {
  let circuit: Circuit = CLOSED;
  for (let n = 0; n < count; n += 1) {
    circuit = circuitAfter(circuit, { type: 'unreachable', ...how }, NOW);
  }
  return circuit as Open;
}

describe('the circuit', () => {
  test('[OF-2] opens with the first missing connection, and probes with backoff up to a minute', () => {
    const waits = [1, 2, 3, 4, 7, 40].map((count) => failures(count).probeAt - NOW);
    expect(waits).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000]);
    expect(isProbeDue(failures(1), NOW + 999)).toBe(false);
    expect(isProbeDue(failures(1), NOW + 1000)).toBe(true);
  });

  test('[OF-2] probes every five minutes once it has been open for an hour', () => {
    const long = failures(20);
    expect((circuitAfter(long, unreachable, NOW + 3_599_999) as Open).probeAt).toBe(
      NOW + 3_599_999 + 60_000,
    );
    expect((circuitAfter(long, unreachable, NOW + 3_600_000) as Open).probeAt).toBe(
      NOW + 3_600_000 + 300_000,
    );
  });

  test('[OF-2] lets one probe through at a time', () => {
    const probing = circuitAfter(failures(1), { type: 'probe' }, NOW + 1000);
    expect(isProbeDue(probing, NOW + 999_999)).toBe(false);
    expect(circuitAfter(probing, { type: 'answered' }, NOW + 1001)).toEqual(CLOSED);
    const again = circuitAfter(probing, unreachable, NOW + 1001) as Open;
    expect([again.since, again.probeAt]).toEqual([NOW, NOW + 1001 + 2000]);
  });

  test('[OF-3] opens after three answers in a row that the service is unavailable', () => {
    const unavailable = { type: 'unavailable', ...HOW } as const;
    let circuit: Circuit = CLOSED;
    circuit = circuitAfter(circuit, unavailable, NOW);
    circuit = circuitAfter(circuit, unavailable, NOW);
    expect(circuit.type).toBe('closed');
    expect(circuitAfter(circuit, unavailable, NOW).type).toBe('open');
    const answered = circuitAfter(circuit, { type: 'answered' }, NOW);
    expect(circuitAfter(answered, unavailable, NOW).type).toBe('closed');
  });

  test('[OF-6] probes at once on a return; only a fresh one restarts the backoff', () => {
    const long = failures(20);
    const fresh = circuitAfter(long, { type: 'retry_now', isFresh: true }, NOW + 1) as Open;
    expect([fresh.probeAt, fresh.failures]).toEqual([NOW + 1, 0]);
    const other = circuitAfter(long, { type: 'retry_now', isFresh: false }, NOW + 1) as Open;
    expect([other.probeAt, other.failures]).toEqual([NOW + 1, 20]);
    expect(circuitAfter(CLOSED, { type: 'retry_now', isFresh: true }, NOW)).toEqual(CLOSED);
  });

  test('[OF-2] backs off to one probe an hour while this machine has no address', () => {
    const how = { random: 0, hasAddress: false };
    expect([1, 20].map((count) => failures(count, how).probeAt - NOW)).toEqual([60_000, 3_600_000]);
  });

  test('[OF-2] [OF-9] a clock that is set back delays no probe and doesn’t change the length of the outage', () => {
    expect(isProbeDue(failures(1), NOW - 7 * 86_400_000)).toBe(true);
    const back = circuitAfter(failures(1), unreachable, NOW - 86_400_000) as Open;
    expect(back.since).toBe(NOW - 86_400_000);
    expect(stillOpen(NOW - 5, NOW)).toMatchObject({ since: NOW - 5, probeAt: NOW });
    expect(stillOpen(NOW + 5, NOW)).toMatchObject({ since: NOW });
  });
});

describe('the gate of a host that is down', () => {
  function downGate(): HostGate {
    const gate = new HostGate();
    const pass = gate.passNow(NOW);
    expect(gate.leave(pass, { type: 'unreachable', isNetwork: false }, NOW, HOW)).toEqual({
      until: null,
    });
    return gate;
  }

  test('[OF-2] does not count calls that were under way when the host failed', () => {
    const gate = new HostGate();
    const passes = Array.from({ length: 64 }, () => gate.passNow(NOW));
    for (const pass of passes)
      gate.leave(pass, { type: 'unreachable', isNetwork: false }, NOW, HOW);
    expect(gate.probeAt).toBe(NOW + 1000);
    expect(gate.active).toBe(0);
  });

  test('[OF-2] lets only the probe through', () => {
    const gate = downGate();
    expect(gate.waitAt(NOW + 999)).toEqual({ until: null });
    const first = gate.arrive('a');
    expect(gate.serve(NOW + 999).passed).toEqual([]);
    expect(gate.park(first, NOW + 999)).toBeNull();
    gate.arrive('b');
    gate.arrive('c');
    expect(gate.serve(NOW + 1000)).toMatchObject({
      passed: [{ workflowId: 'b' }],
      isProbe: true,
    });
    expect(gate.serve(NOW + 1000).passed).toEqual([]);
    expect(gate.waitAt(NOW + 60_000)).toEqual({ until: null });
  });

  test('[OF-2] counts a probe without an answer as a failure, also one that never called', () => {
    const gate = downGate();
    const pass = gate.passNow(NOW + 1000);
    expect(pass.isProbe).toBe(true);
    gate.leave(pass, { type: 'unanswered' }, NOW + 1000, HOW);
    expect(gate.probeAt).toBe(NOW + 3000);
  });

  test('[OF-5] closes the circuit with any answer, also with a request to wait', () => {
    for (const end of [
      { type: 'answered' },
      { type: 'asked_to_wait', retryAfterMs: 5000 },
    ] as const) {
      const gate = downGate();
      gate.leave(gate.passNow(NOW + 1000), end, NOW + 1000, HOW);
      expect(gate.downSince).toBeNull();
    }
  });

  test('[OF-5] keeps the places of ended runs in order', () => {
    const gate = new HostGate();
    gate.limit = { concurrent: 1 };
    for (const id of ['old', 'new', 'old']) gate.reserve(id, NOW);
    gate.arrive('new');
    expect(gate.serve(NOW).passed).toEqual([]);
    gate.arrive('old');
    expect(gate.serve(NOW).passed).toMatchObject([{ workflowId: 'old' }]);
  });
});

describe('the network', () => {
  const after = (network: Network, ...events: NetworkEvent[]): Network =>
    events.reduce(networkAfter, network);
  const seen = (isOnline: boolean, ...addresses: string[]): NetworkEvent => ({
    type: 'seen',
    sighting: { addresses, isOnline },
  });
  const gone = { type: 'unreachable', at: NOW } as const;

  test('[OF-7] is offline without an address, if the system says so, or without a route', () => {
    expect(isOffline(UNSEEN)).toBe(false);
    expect(isOffline(after(UNSEEN, seen(true, '192.0.2.1')))).toBe(false);
    expect(isOffline(after(UNSEEN, seen(true)))).toBe(true);
    expect(isOffline(after(UNSEEN, seen(false, '192.0.2.1')))).toBe(true);
    expect(isOffline(after(UNSEEN, seen(true, '192.0.2.1'), gone))).toBe(true);
  });

  test('[OF-7] an answer of another machine proves a network', () => {
    const online = after(UNSEEN, seen(false, '192.0.2.1'), { type: 'reached', at: NOW });
    expect(isOffline(online)).toBe(false);
    expect(isOffline(after(online, { type: 'unreachable', at: NOW + 9999 }))).toBe(false);
    expect(isOffline(after(online, { type: 'unreachable', at: NOW + 10_000 }))).toBe(true);
  });

  test('[OF-6] may be back after a first address, another address, or an answer', () => {
    const home = after(UNSEEN, seen(true, '192.0.2.1'));
    const offline = after(home, seen(true));
    expect(mayBeBack(home, offline)).toBe(false);
    expect(mayBeBack(offline, after(offline, seen(true, '192.0.2.1')))).toBe(true);
    expect(mayBeBack(home, after(home, seen(true, '198.51.100.1')))).toBe(true);
    expect(mayBeBack(home, after(home, seen(true, '192.0.2.1')))).toBe(false);
    const noRoute = after(home, gone);
    expect(mayBeBack(noRoute, after(noRoute, { type: 'reached', at: NOW + 1 }))).toBe(true);
    expect(mayBeBack(home, after(home, { type: 'reached', at: NOW }))).toBe(false);
  });

  test('[OF-2] counts as gone for probes only without an address, whatever the system reports', () => {
    expect(hasAddress(UNSEEN)).toBe(true);
    expect(hasAddress(after(UNSEEN, seen(false, '192.0.2.1')))).toBe(true);
    expect(hasAddress(after(UNSEEN, seen(true)))).toBe(false);
  });

  test.each([
    ['127.0.0.1', true],
    ['127.0.0.1:8080', true],
    ['localhost', true],
    ['app.localhost:3000', true],
    ['[::1]:80', true],
    ['[::1]', true],
    ['[2001:db8::1]:80', false],
    ['127.0.0.1.example.org', false],
    ['10.0.0.7:80', false],
    ['api.example.org', false],
  ])('[OF-7] %s needs no network: %s', (host, isLoopback) => {
    expect(isLoopbackHost(host)).toBe(isLoopback);
  });
});

describe('the length of a wait', () => {
  test('[OF-10] doesn’t change when the clock is set back', () => {
    const begun = waitingAfter(null, NOW);
    const later = waitingAfter(begun, NOW + 5000);
    expect(later).toEqual({ since: NOW, at: NOW + 5000 });
    const back = waitingAfter(later, NOW - 1_000_000);
    expect(NOW - 1_000_000 - back.since).toBe(5000);
  });

  test('[OF-10] is at most the age of the event', () => {
    expect(waitedMs(NOW, NOW - 5, NOW + 10)).toBe(10);
    expect(waitedMs(NOW, NOW + 4, NOW + 10)).toBe(6);
    // Its arrival is in the future: the clock was set back since.
    expect(waitedMs(NOW, NOW + 99, NOW + 10)).toBe(10);
  });
});
