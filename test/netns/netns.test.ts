// Whole hosts in networks of their own: found, paired, cut off, disturbed and attacked there.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { probeNetworks } from '#scripts/lib/network-namespaces.mjs';
import type { DeviceView } from '#shared/api/devices.ts';
import type { Knock } from '#test/netns/netns-host.ts';
import { makeNetwork, type NetHost } from '#test/netns/namespace-network.ts';
import { countEvents, readRows } from '#test/support/read-rows.ts';

const { namespaces, netem } = await probeNetworks();
if (!namespaces.ok) console.log(`not run: tests in networks of their own: ${namespaces.reason}`);
else if (!netem.ok) console.log(`not run: test with delay and loss: ${netem.reason}`);

const PORT = 47_470;
const TIMEOUT_MS = 60_000;

function until<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 40_000, interval: 50 });
}

/** Hosts that run, each in its own network, all on one bridge. */
async function hosts(count: number): Promise<NetHost[]> {
  const network = await makeNetwork();
  const made = await Promise.all(Array.from({ length: count }, () => network.host()));
  await Promise.all(made.map((host) => host.ask('start')));
  return made;
}

async function pair(inviter: NetHost, joiner: NetHost): Promise<void> {
  const { link } = await inviter.call('devices.invite', {});
  await joiner.call('devices.join', { link });
}

async function others(host: NetHost): Promise<DeviceView[]> {
  const { devices } = await host.call('devices.list', {});
  return devices.filter(({ pairedAt }) => pairedAt !== null);
}

async function untilLive(...all: readonly NetHost[]): Promise<void> {
  await until(async () => {
    for (const host of all) {
      const states = (await others(host)).map(({ sync }) => sync?.state);
      expect(states.length).toBeGreaterThan(0);
      expect(new Set(states)).toEqual(new Set(['live']));
    }
  });
}

async function untilEqual(...all: readonly NetHost[]): Promise<void> {
  await until(() => {
    const [first, ...rest] = all.map(({ dataDir }) => readRows(dataDir));
    for (const rows of rest) expect(rows).toEqual(first);
  });
}

/** Some of the events have come, and not all. */
async function untilInTheMiddle(host: NetHost, all: number): Promise<void> {
  await vi.waitFor(() => expect(countEvents(host.dataDir)).toBeGreaterThan(0), {
    timeout: 40_000,
    interval: 2,
  });
  expect(countEvents(host.dataDir)).toBeLessThan(all);
}

function namesLogged(host: NetHost): string[] {
  return host
    .logged()
    .filter(({ level }) => level >= 40)
    .map(({ refusal, name, msg }) => refusal ?? name ?? msg);
}

describe.skipIf(!namespaces.ok)('hosts in networks of their own', () => {
  it(
    '[DS-9] find each other by mDNS, are paired by the digits, and a third one gets all through the second',
    async () => {
      const [desk, laptop, server] = (await hosts(3)) as [NetHost, NetHost, NetHost];
      await desk.call('workflows.create', { requestId: 'one', name: 'From the desk' });
      await desk.call('devices.compare.open', {});
      const found = await until(async () => {
        const { devices } = await laptop.call('devices.nearby', {});
        const waiting = devices.find(({ isWaiting }) => isWaiting);
        if (!waiting) throw new Error('Nobody is found yet.');
        return waiting;
      });
      expect(found.addresses).toContain(`${desk.address}:${PORT}`);
      const { id, digits } = await laptop.call('devices.compare.start', {
        addresses: found.addresses,
      });
      const { comparison } = await desk.call('devices.compare.get', {});
      expect(comparison?.digits).toBe(digits);
      await laptop.call('devices.compare.confirm', { comparisonId: id });
      await desk.call('devices.compare.confirm', { comparisonId: comparison?.id as string });
      await untilLive(desk, laptop);
      await pair(laptop, server);
      await untilLive(desk, laptop, server);
      await server.call('workflows.create', { requestId: 'two', name: 'From the server' });
      await untilEqual(desk, laptop, server);
      expect(readRows(desk.dataDir)['workflows']).toHaveLength(2);
      // Those two were never paired with each other.
      expect(await others(desk)).toHaveLength(1);
    },
    TIMEOUT_MS,
  );

  it(
    '[DS-9] a cable that is pulled during a first sync, and again and again, costs nothing but time',
    async () => {
      const EVENTS = 6000;
      const [desk, laptop] = (await hosts(2)) as [NetHost, NetHost];
      await desk.ask('publish', { count: EVENTS, prefix: 'mail' });
      await pair(desk, laptop);
      await untilInTheMiddle(laptop, EVENTS);
      laptop.cable('down');
      await sleep(300);
      const arrived = countEvents(laptop.dataDir);
      await desk.ask('publish', { count: 50, prefix: 'meanwhile' });
      await sleep(700);
      // Nothing comes over a cable that is not there.
      expect(countEvents(laptop.dataDir)).toBe(arrived);
      expect(arrived).toBeLessThan(EVENTS);
      for (let cut = 0; cut < 5; cut += 1) {
        laptop.cable('up');
        await sleep(150);
        laptop.cable('down');
        await sleep(50);
      }
      laptop.cable('up');
      await untilEqual(desk, laptop);
      expect(countEvents(laptop.dataDir)).toBe(EVENTS + 50);
      await untilLive(desk, laptop);
    },
    TIMEOUT_MS,
  );

  it.skipIf(!netem.ok)(
    '[DS-9] with delay and loss all is equal in the end',
    async () => {
      const [desk, laptop] = (await hosts(2)) as [NetHost, NetHost];
      for (const host of [desk, laptop])
        host.disturb(['netem', 'delay', '40ms', '20ms', 'loss', '3%']);
      await desk.ask('publish', { count: 1000, prefix: 'mail' });
      await pair(desk, laptop);
      await untilLive(desk, laptop);
      await laptop.ask('publish', { count: 200, prefix: 'back' });
      await untilEqual(desk, laptop);
      expect(countEvents(desk.dataDir)).toBe(1200);
    },
    TIMEOUT_MS,
  );

  it(
    '[DS-9] a peer whose key was replaced gets nothing, and it is logged once',
    async () => {
      const [desk, laptop] = (await hosts(2)) as [NetHost, NetHost];
      await pair(desk, laptop);
      await untilLive(desk, laptop);
      await laptop.ask('stop');
      rmSync(join(laptop.dataDir, 'device-key.json'));
      const { deviceId: renewedId } = await laptop.ask('start');
      const before = readRows(laptop.dataDir);
      // It answers at the same place again, as another device.
      await laptop.call('devices.invite', {});
      const [known] = (await others(desk)) as [DeviceView];
      expect(known.id).not.toBe(renewedId);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await desk.call('devices.reach', {
          deviceId: known.id,
          address: `${laptop.address}:${PORT}`,
        });
        await until(async () =>
          expect((await others(desk))[0]).toMatchObject({
            state: 'away',
            problem: { name: 'wrong-key' },
          }),
        );
        // Long enough for the next one to be dialled anew.
        await sleep(300);
      }
      await desk.call('workflows.create', { requestId: 'x', name: 'Not for everybody' });
      expect(namesLogged(desk).filter((name) => name === 'wrong-key')).toHaveLength(1);
      expect(readRows(laptop.dataDir)).toEqual(before);
    },
    TIMEOUT_MS,
  );

  it(
    '[DS-9] garbage, a frame of 1 GiB and other versions are refused by name, and the host goes on',
    async () => {
      const [desk, laptop, mad] = (await hosts(3)) as [NetHost, NetHost, NetHost];
      await pair(desk, laptop);
      await pair(desk, mad);
      await untilLive(desk, laptop, mad);
      await mad.ask('stop');
      const before = readRows(desk.dataDir);
      const rss = await desk.ask('rss');
      const mischief: [Knock['key'], Knock['what'], string][] = [
        ['fresh', 'a hello and a change', 'unknown-device'],
        ['own', 'bytes that are no frames', 'garbled'],
        ['own', 'a frame of random bytes', 'malformed-frame'],
        ['own', 'a frame of 1 GiB', 'frame-too-large'],
        ['own', 'links of another version', 'version-too-old'],
        ['own', 'changes of another version', 'update-needed'],
      ];
      for (const [key, what, name] of mischief) {
        expect([what, await mad.knock({ at: desk, port: PORT, key, what })]).toEqual([what, name]);
      }
      expect(await desk.ask('rss')).toBeLessThan(rss + 100);
      expect(readRows(desk.dataDir)).toEqual(before);
      const view = (await others(desk)).find(({ state }) => state === 'away');
      expect(view?.sync).toMatchObject({ state: 'update-needed', who: 'us' });
      const logged = namesLogged(desk);
      for (const [, , name] of mischief.filter(([, , told]) => told !== 'update-needed')) {
        expect([name, logged.filter((one) => one === name).length]).toEqual([name, 1]);
      }
      expect(logged.filter((one) => one === 'wrong-protocol')).toHaveLength(1);
      expect(desk.logged().filter(({ level }) => level >= 50)).toEqual([]);
      // Others are served as ever.
      await laptop.call('workflows.create', { requestId: 'y', name: 'Still here' });
      await untilEqual(desk, laptop);
    },
    TIMEOUT_MS,
  );
});
