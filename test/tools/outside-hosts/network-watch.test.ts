// Notices that the network comes and goes, with a virtual clock and a network that the test changes.
import { expect, test } from 'vitest';
import { addressesOf } from '#main/platform/network.ts';
import { NetworkWatch } from '#main/tools/outside-hosts/network-watch.ts';
import { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { NetworkSighting } from '#shared/outside/network.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';

const HOST = 'api.example.org';
const NONE: NetworkSighting = { addresses: [], isOnline: true };
const HOME: NetworkSighting = { addresses: ['192.0.2.1'], isOnline: true };

function machine() {
  const clock = createVirtualClock();
  const kept = { load: () => ({}), save: () => undefined };
  const hosts = new OutsideHosts({
    clock,
    random: () => 0,
    limitsOf: () => [],
    holds: kept,
    circuits: kept,
  });
  const state = { now: HOME, looks: 0, probed: [] as number[], retried: 0 };
  const source = {
    look: () => {
      state.looks += 1;
      return state.now;
    },
  };
  hosts.serve({
    probe: () => {
      state.probed.push(clock.now());
      return true;
    },
    goOn: () => undefined,
    retry: () => {
      state.retried += 1;
    },
  });
  const watch = new NetworkWatch({ hosts, clock, source });
  watch.start();
  const fail = (host = HOST): void => {
    const visit = hosts.enterNow(host);
    if (visit.type === 'entered') visit.leave({ type: 'unreachable', isNetwork: true });
  };
  return { clock, hosts, state, watch, fail };
}

test('[OF-6] looks only while a host that needs the network is down', async () => {
  const { clock, hosts, state, fail } = machine();
  await clock.advance(3_600_000);
  expect(state.looks).toBe(1);
  fail('127.0.0.1:8080');
  await clock.advance(60_000);
  expect(state.looks).toBe(1);
  fail();
  await clock.advance(60_000);
  expect(state.looks).toBe(14);
  const visit = hosts.enterNow(HOST);
  if (visit.type === 'entered') visit.leave({ type: 'answered' });
  await clock.advance(5000);
  const { looks } = state;
  await clock.advance(60_000);
  expect(state.looks).toBe(looks);
});

test('[OF-6] work is tried within seconds of the return of an address', async () => {
  const { clock, state, fail } = machine();
  state.now = NONE;
  fail();
  // Each probe of the host fails again.
  for (let hour = 0; hour < 72; hour += 1) {
    await clock.advance(3_600_000);
    fail();
  }
  const back = clock.now();
  state.now = HOME;
  await clock.advance(5000);
  expect(state.probed.at(-1)).toBe(back + 5000);
  expect(state.retried).toBe(1);
});

test('[OF-6] a tick that comes much too late counts as a sleep', async () => {
  const { clock, hosts, state, fail } = machine();
  fail();
  let isLate = false;
  const now = clock.now.bind(clock);
  Object.assign(clock, { now: () => now() + (isLate ? 3_600_000 : 0) });
  await clock.advance(4000);
  expect(state.retried).toBe(0);
  isLate = true;
  await clock.advance(1000);
  expect(state.retried).toBe(1);
  expect(hosts.isAnyDown).toBe(true);
});

test('[OF-6] after a stop nothing is looked at', async () => {
  const { clock, state, watch, fail } = machine();
  fail();
  watch.stop();
  await clock.advance(60_000);
  fail();
  expect(state.looks).toBe(2);
});

test('[OF-6] loopback and link-local addresses are no network', () => {
  const address = (text: string, internal = false) => ({ address: text, internal }) as never;
  expect(
    addressesOf({
      lo: [address('127.0.0.1', true), address('::1', true)],
      awdl0: [address('fe80::1'), address('169.254.7.7')],
    }),
  ).toEqual([]);
  expect(
    addressesOf({ eth0: [address('192.0.2.9'), address('fe80::2'), address('2001:db8::9')] }),
  ).toEqual(['192.0.2.9', '2001:db8::9']);
});
