// Whole hosts in network namespaces: discovery, pairing, cut cables, packet loss and attacks.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { probeNetworks } from '#scripts/lib/network-namespaces.mjs';
import type { DeviceView } from '#shared/api/devices.ts';
import type { Attack } from '#test/netns/netns-host.ts';
import { createNetwork, type NetHost } from '#test/netns/namespace-network.ts';
import { countEvents, readRows } from '#test/support/read-rows.ts';
import { notRunIf } from '#test/support/not-run.ts';

const { namespaces, netem } = await probeNetworks();
if (!namespaces.ok) console.log(`not run: network namespace tests: ${namespaces.reason}`);
else if (!netem.ok) console.log(`not run: packet delay and loss test: ${netem.reason}`);

const PORT = 47_470;
const TIMEOUT_MS = 60_000;

function until<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 40_000, interval: 50 });
}

/** Running hosts, each in its own namespace, all on one bridge. */
async function hosts(count: number): Promise<NetHost[]> {
  const network = await createNetwork();
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

/** Waits until the host has some of the events, and not all. */
async function untilPartlySynced(host: NetHost, all: number): Promise<void> {
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

describe.skipIf(!namespaces.ok)(
  `hosts in network namespaces${notRunIf(!namespaces.ok, namespaces.ok ? '' : namespaces.reason)}`,
  () => {
    it(
      '[DS-9] find each other by mDNS and pair by digits; a third, paired with the second only, gets the same rows',
      async () => {
        const [desk, laptop, server] = (await hosts(3)) as [NetHost, NetHost, NetHost];
        await desk.call('workflows.create', { requestId: 'one', name: 'From the desk' });
        await desk.call('devices.compare.open', {});
        const found = await until(async () => {
          const { devices } = await laptop.call('devices.nearby', {});
          const waiting = devices.find(({ isWaiting }) => isWaiting);
          if (!waiting) throw new Error('No device was found yet.');
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
        // The desk is paired with the laptop only.
        expect(await others(desk)).toHaveLength(1);
      },
      TIMEOUT_MS,
    );

    it(
      '[DS-9] have equal rows after the cable was cut six times, the first time during the first sync',
      async () => {
        const EVENTS = 6000;
        const CUTS = 6;
        const [desk, laptop] = (await hosts(2)) as [NetHost, NetHost];
        await desk.ask('publish', { count: EVENTS, prefix: 'mail' });
        await pair(desk, laptop);
        await untilPartlySynced(laptop, EVENTS);
        for (let cut = 0; cut < CUTS; cut += 1) {
          laptop.cable('down');
          const arrived = countEvents(laptop.dataDir);
          await desk.ask('publish', { count: 50, prefix: `cut-${cut}` });
          laptop.cable('up');
          await until(() => expect(countEvents(laptop.dataDir)).toBeGreaterThan(arrived));
        }
        await untilEqual(desk, laptop);
        expect(countEvents(laptop.dataDir)).toBe(EVENTS + CUTS * 50);
        await untilLive(desk, laptop);
      },
      TIMEOUT_MS,
    );

    it.skipIf(!netem.ok)(
      `[DS-9] have equal rows despite packet delay and loss${notRunIf(!netem.ok, netem.ok ? '' : netem.reason)}`,
      async () => {
        const [desk, laptop] = (await hosts(2)) as [NetHost, NetHost];
        for (const host of [desk, laptop])
          host.shapeTraffic(['netem', 'delay', '40ms', '20ms', 'loss', '3%']);
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
      '[DS-9] refuse a peer whose key was replaced: it gets no row, and the refusal is logged once',
      async () => {
        const [desk, laptop] = (await hosts(2)) as [NetHost, NetHost];
        await pair(desk, laptop);
        await untilLive(desk, laptop);
        await laptop.ask('stop');
        rmSync(join(laptop.dataDir, 'device-key.json'));
        const { deviceId: renewedId } = await laptop.ask('start');
        const before = readRows(laptop.dataDir);
        // It listens at the same address again, with another key.
        await laptop.call('devices.invite', {});
        const [known] = (await others(desk)) as [DeviceView];
        expect(known.id).not.toBe(renewedId);
        for (let attempt = 0; attempt < 3; attempt += 1) {
          const connections = await laptop.ask('connections');
          const reached = desk.call('devices.reach', {
            deviceId: known.id,
            address: `${laptop.address}:${PORT}`,
          });
          await expect(reached).rejects.toThrow('Could not connect');
          await until(async () =>
            expect((await others(desk))[0]).toMatchObject({
              state: 'away',
              problem: { name: 'wrong-key' },
            }),
          );
          await until(async () =>
            expect(await laptop.ask('connections')).toBeGreaterThan(connections),
          );
        }
        await desk.call('workflows.create', { requestId: 'x', name: 'Not for the replaced key' });
        expect(namesLogged(desk).filter((name) => name === 'wrong-key')).toHaveLength(1);
        expect(readRows(laptop.dataDir)).toEqual(before);
      },
      TIMEOUT_MS,
    );

    it(
      '[DS-9] refuse garbage, a frame of 1 GiB and other versions by name, log no refusal twice, and keep syncing with others',
      async () => {
        const [desk, laptop, attacker] = (await hosts(3)) as [NetHost, NetHost, NetHost];
        await pair(desk, laptop);
        await pair(desk, attacker);
        await untilLive(desk, laptop, attacker);
        await attacker.ask('stop');
        const before = readRows(desk.dataDir);
        const rss = await desk.ask('rss');
        const attacks: [Attack['key'], Attack['sends'], string][] = [
          ['fresh', 'a hello and a change', 'unknown-device'],
          ['own', 'bytes that are not frames', 'garbled'],
          ['own', 'a frame of random bytes', 'malformed-frame'],
          ['own', 'a frame of 1 GiB', 'frame-too-large'],
          ['own', 'another link version', 'version-too-old'],
          ['own', 'another sync version', 'update-needed'],
        ];
        for (const [key, sends, reason] of attacks) {
          const given = await attacker.attack({ target: desk, port: PORT, key, sends });
          expect([sends, given]).toEqual([sends, reason]);
        }
        expect(await desk.ask('rss')).toBeLessThan(rss + 100);
        expect(readRows(desk.dataDir)).toEqual(before);
        const view = (await others(desk)).find(({ state }) => state === 'away');
        expect(view?.sync).toMatchObject({ state: 'update-needed', who: 'us' });
        const logged = namesLogged(desk);
        // Another sync version is shown in the device list and need not be logged.
        expect(logged.filter((one) => one === 'update-needed').length).toBeLessThanOrEqual(1);
        for (const [, , name] of attacks.filter(([, , reason]) => reason !== 'update-needed')) {
          expect([name, logged.filter((one) => one === name).length]).toEqual([name, 1]);
        }
        expect(logged.filter((one) => one === 'wrong-protocol')).toHaveLength(1);
        expect(desk.logged().filter(({ level }) => level >= 50)).toEqual([]);
        // Other peers still sync.
        await laptop.call('workflows.create', { requestId: 'y', name: 'Still here' });
        await untilEqual(desk, laptop);
      },
      TIMEOUT_MS,
    );
  },
);
