// Links between paired devices, over real TLS on loopback.
import { createServer, connect as connectTcp, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectToPeer } from '#main/sync/link/connect.ts';
import { LinkEnded } from '#main/sync/link/frame-stream.ts';
import type { Link } from '#main/sync/link/link.ts';
import { systemClock } from '#main/platform/system.ts';
import { createVirtualClock, type VirtualClock } from '#test/support/virtual-clock.ts';
import {
  LINK_PING_MS,
  LINK_PROBE_MS,
  LINK_RETRY_MAX_MS,
  LINK_SILENCE_MS,
  MAX_FRAME_BYTES,
} from '#shared/limits.ts';
import { replacesLink } from '#shared/sync/link-tie-break.ts';
import {
  endOf,
  makeDevice,
  makeKey,
  pairOfDevices,
  pairRows,
  type TestDevice,
} from '#test/sync/link/devices.ts';
import { eventually } from '#test/support/eventually.ts';

/** Both ends of a new link. */
async function linked(): Promise<{
  near: Link;
  far: Link;
  dialler: TestDevice;
  answerer: TestDevice;
}> {
  const { dialler, answerer } = await pairOfDevices();
  dialler.network.start();
  answerer.network.refresh();
  const [near, far] = await Promise.all([dialler.nextLink(), answerer.nextLink()]);
  return { near, far, dialler, answerer };
}

/** The received frames, in order. */
function gather(link: Link): Uint8Array[] {
  const frames: Uint8Array[] = [];
  link.onFrame((frame) => void frames.push(Uint8Array.from(frame)));
  return frames;
}

/** Advances the virtual clock, with time for real sockets before and after. */
async function advance(clock: VirtualClock, ms: number): Promise<void> {
  await settle();
  await clock.advance(ms);
  await settle();
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('links between paired devices', () => {
  it('[LK-3] frames arrive complete and in order in both directions', async () => {
    const { near, far, dialler, answerer } = await linked();
    expect(near.peerId).toBe(answerer.key.deviceId);
    expect(far.peerId).toBe(dialler.key.deviceId);
    const [atFar, atNear] = [gather(far), gather(near)];
    const sizes = [0, 1, 5, 16_384, 70_000, MAX_FRAME_BYTES];
    for (const size of sizes) {
      await Promise.all([
        near.send(new Uint8Array(size).fill(size % 251)),
        far.send(Uint8Array.of(size % 251)),
      ]);
    }
    await eventually(() => expect(atFar).toHaveLength(sizes.length));
    await eventually(() => expect(atNear).toHaveLength(sizes.length));
    for (const [index, size] of sizes.entries()) {
      const frame = atFar[index] as Uint8Array;
      expect(frame.length).toBe(size);
      expect(frame.every((byte) => byte === size % 251)).toBe(true);
      expect(atNear[index]).toEqual(Uint8Array.of(size % 251));
    }
  });

  it('[LK-3] frames wait until a listener is set, and a frame over the limit is not sent', async () => {
    const { near, far } = await linked();
    await near.send(Uint8Array.of(1));
    await near.send(Uint8Array.of(2));
    await settle();
    const atFar = gather(far);
    await eventually(() => expect(atFar).toEqual([Uint8Array.of(1), Uint8Array.of(2)]));
    await expect(near.send(new Uint8Array(MAX_FRAME_BYTES + 1))).rejects.toThrow(RangeError);
    await near.send(Uint8Array.of(3));
    await eventually(() => expect(atFar).toHaveLength(3));
  });

  it('[LK-3] a slow listener holds back the sender', async () => {
    const { near, far } = await linked();
    const taken: number[] = [];
    const gate = Promise.withResolvers<void>();
    far.onFrame(async (frame) => {
      taken.push(frame[0] as number);
      await gate.promise;
    });
    const frames = 40;
    let sent = 0;
    const sending = (async () => {
      for (let index = 0; index < frames; index += 1) {
        await near.send(new Uint8Array(1024 * 1024).fill(index));
        sent += 1;
      }
    })();
    await eventually(() => expect(taken).toEqual([0]));
    await settle();
    expect(taken).toEqual([0]);
    expect(sent).toBeLessThan(frames);
    gate.resolve();
    await sending;
    await eventually(() => expect(taken).toHaveLength(frames));
    expect(taken).toEqual(Array.from({ length: frames }, (_, index) => index));
  });

  it('[LK-3] closing ends the link on both sides with the reason, and nothing more can be sent', async () => {
    const { near, far } = await linked();
    gather(near);
    gather(far);
    const [atNear, atFar] = [endOf(near), endOf(far)];
    near.close({ name: 'schema-differs', message: 'Update the other one.' });
    expect(await atNear).toMatchObject({ name: 'schema-differs' });
    expect(await atFar).toEqual({ name: 'schema-differs', message: 'Update the other one.' });
    for (const link of [near, far]) {
      await expect(link.send(Uint8Array.of(1))).rejects.toThrow(LinkEnded);
    }
  });

  it('[LK-3] a listener that throws ends the link as listener-failed and is logged', async () => {
    const { near, far, answerer } = await linked();
    far.onFrame(() => {
      throw new Error('out of order');
    });
    const ended = endOf(far);
    await near.send(Uint8Array.of(1));
    expect(await ended).toMatchObject({ name: 'listener-failed' });
    expect(answerer.logged.some(({ msg }) => msg === 'could not handle a frame')).toBe(true);
  });

  it("[LK-6] a link that ended is dialled again, and the peer's addresses are stored", async () => {
    const { dialler, answerer } = await pairOfDevices();
    dialler.network.start();
    answerer.network.refresh();
    await dialler.nextLink();
    const first = await answerer.nextLink();
    first.close({ name: 'closing', message: '' });
    await dialler.nextLink();
    expect(dialler.network.isLinked(answerer.key.deviceId)).toBe(true);
    expect(dialler.links).toHaveLength(2);
    const seen = dialler.stores.peers.get(answerer.key.deviceId);
    expect(seen?.lastSeenAt).toBeGreaterThan(0);
    expect(seen?.addresses).toEqual(answerer.network.addresses);
  });
});

describe('one link per peer', () => {
  it('[LK-6] both sides choose the same link in any order', () => {
    for (const [ours, theirs] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      for (const existing of [true, false]) {
        expect(replacesLink(ours, theirs, { existing, incoming: existing })).toBe(true);
        const here = replacesLink(ours, theirs, { existing, incoming: !existing });
        // The peer sees the same two links with the roles swapped.
        const mirrored = replacesLink(theirs, ours, { existing: !existing, incoming: existing });
        expect(mirrored).toBe(here);
        const inOtherOrder = replacesLink(ours, theirs, {
          existing: !existing,
          incoming: existing,
        });
        expect(inOtherOrder).toBe(!here);
      }
    }
  });

  it('[LK-6] when both dial at the same time, one working link remains on both sides', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [makeDevice(), makeDevice()];
      for (const device of [one, other]) onTestFinished(await device.network.keepListening());
      pairRows(one, other, other.network.addresses);
      pairRows(other, one, one.network.addresses);
      one.network.start();
      other.network.start();
      await eventually(() => {
        for (const device of [one, other]) {
          const open = device.links.length - device.ends.length;
          expect([
            open,
            device.network.isLinked((device === one ? other : one).key.deviceId),
          ]).toEqual([1, true]);
        }
      });
      await settle();
      const near = one.links.at(-1) as Link;
      const far = other.links.at(-1) as Link;
      const atFar = gather(far);
      await near.send(Uint8Array.of(round));
      await eventually(() => expect(atFar).toEqual([Uint8Array.of(round)]));
    }
  });

  it('[LK-6] a dead link is probed and replaced', async () => {
    const clock = createVirtualClock();
    // The device with the smaller id keeps the link that it dialled.
    const keys = [makeKey(), makeKey()].toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
    const [small, large] = keys.map((key) => makeDevice({ key, clock })) as [
      TestDevice,
      TestDevice,
    ];
    for (const device of [small, large]) onTestFinished(await device.network.keepListening());
    const relay = await startRelay(large.network.addresses[0] as string);
    pairRows(small, large, [relay.address]);
    pairRows(large, small, small.network.addresses);
    large.network.refresh();
    small.network.start();
    await advance(clock, 0);
    await small.nextLink();
    // The connection is cut silently, then the other device reconnects.
    relay.freeze();
    (await large.nextLink()).close({ name: 'closing', message: '' });
    large.network.start();
    await advance(clock, 1000);
    expect(small.links).toHaveLength(1);
    expect(small.ends).toEqual([]);
    await advance(clock, LINK_PROBE_MS);
    expect(small.ends).toMatchObject([{ name: 'silent' }]);
    await advance(clock, 10_000);
    expect(small.network.isLinked(large.key.deviceId)).toBe(true);
    expect(large.network.isLinked(small.key.deviceId)).toBe(true);
  });
});

describe('keep-alive', () => {
  it('[LK-7] an idle link stays open with less than 1 kB per minute', async () => {
    const clock = createVirtualClock();
    const { dialler, answerer, address } = await pairOfDevices({ clock });
    const relay = await startRelay(address);
    pairRows(dialler, answerer, [relay.address]);
    dialler.network.start();
    answerer.network.refresh();
    await advance(clock, 0);
    gather(await dialler.nextLink());
    gather(await answerer.nextLink());
    await settle();
    const before = relay.bytes();
    const minutes = 30;
    for (let time = 0; time < minutes * 60_000; time += LINK_PING_MS) {
      await advance(clock, LINK_PING_MS);
    }
    const perMinute = (relay.bytes() - before) / minutes;
    // The relay doesn't see the IPv6 and TCP headers: four packets per ping.
    const headers = (60_000 / LINK_PING_MS) * 4 * 72;
    expect(perMinute).toBeGreaterThan(20);
    expect(perMinute + headers).toBeLessThan(1000);
    expect([...dialler.ends, ...answerer.ends]).toEqual([]);
  });

  it('[LK-7] a silent link is ended by both sides as silent', async () => {
    const clock = createVirtualClock();
    const { dialler, answerer, address } = await pairOfDevices({ clock });
    const relay = await startRelay(address);
    pairRows(dialler, answerer, [relay.address]);
    dialler.network.start();
    answerer.network.refresh();
    await advance(clock, 0);
    gather(await dialler.nextLink());
    gather(await answerer.nextLink());
    await advance(clock, LINK_PING_MS);
    relay.freeze();
    await advance(clock, LINK_SILENCE_MS - LINK_PING_MS);
    expect([...dialler.ends, ...answerer.ends]).toEqual([]);
    await advance(clock, LINK_PING_MS * 2);
    expect(dialler.ends).toMatchObject([{ name: 'silent' }]);
    expect(answerer.ends).toMatchObject([{ name: 'silent' }]);
  });

  it("[LK-7] a device that handles a frame for long doesn't count as silent", async () => {
    const clock = createVirtualClock();
    const { dialler, answerer } = await pairOfDevices({ clock });
    dialler.network.start();
    answerer.network.refresh();
    await advance(clock, 0);
    const near = await dialler.nextLink();
    const far = await answerer.nextLink();
    gather(near);
    const gate = Promise.withResolvers<void>();
    far.onFrame(() => gate.promise);
    await near.send(Uint8Array.of(1));
    await advance(clock, LINK_SILENCE_MS - 1000);
    expect(answerer.ends).toEqual([]);
    gate.resolve();
    await advance(clock, 1000);
    expect([...dialler.ends, ...answerer.ends]).toEqual([]);
  });
});

describe('redialling', () => {
  it('[LK-8] dialling backs off up to a limit with jitter, and logs the reason once', async () => {
    const clock = createVirtualClock();
    const dials: number[] = [];
    const { address, close } = await startCounter(() => dials.push(clock.now()));
    onTestFinished(close);
    const device = makeDevice({ clock, random: () => 0.5 });
    pairRows(device, { key: makeKey() }, [address]);
    device.network.start();
    for (let step = 0; step < 40 && dials.length < 11; step += 1) {
      await advance(clock, step === 0 ? 0 : LINK_RETRY_MAX_MS / 8);
    }
    const gaps = dials.slice(1).map((at, index) => at - (dials[index] as number));
    expect(gaps.length).toBeGreaterThan(8);
    expect(Math.max(...gaps)).toBeGreaterThan(LINK_RETRY_MAX_MS);
    expect(Math.max(...gaps)).toBeLessThan(LINK_RETRY_MAX_MS * 1.5);
    expect(device.logged.map(({ refusal }) => refusal)).toEqual(['unreachable']);
  });

  it('[LK-8] a link that ends immediately counts as a failure and is not redialled in a loop', async () => {
    const clock = createVirtualClock();
    const { dialler, answerer } = await pairOfDevices({ clock });
    answerer.network.onLink((link) => link.close({ name: 'schema-differs', message: 'Update.' }));
    answerer.network.refresh();
    dialler.network.start();
    for (let second = 0; second < 60; second += 1) await advance(clock, 1000);
    expect(dialler.links.length).toBeGreaterThan(3);
    expect(dialler.links.length).toBeLessThan(9);
    expect(dialler.network.lastEnd(answerer.key.deviceId)).toMatchObject({
      name: 'schema-differs',
    });
  });

  it('[LK-8] a discovered device is dialled immediately at the found address', async () => {
    const clock = createVirtualClock();
    const { dialler, answerer, address } = await pairOfDevices({ clock });
    pairRows(dialler, answerer, ['127.0.0.1:1']);
    answerer.network.refresh();
    dialler.network.start();
    await advance(clock, 20_000);
    expect(dialler.links).toEqual([]);
    dialler.network.sawNearby(answerer.key.deviceId, [address]);
    await settle();
    expect(dialler.network.isLinked(answerer.key.deviceId)).toBe(true);
  });
});

describe('listening', () => {
  it('[LK-9] a device listens only while another may connect', async () => {
    const device = makeDevice();
    device.network.start();
    await settle();
    expect(device.network.port).toBeNull();
    const stopListening = await device.network.keepListening();
    const port = device.network.port as number;
    expect(await canConnect(port)).toBe(true);
    stopListening();
    await eventually(async () => expect(await canConnect(port)).toBe(false));
    pairRows(device, { key: makeKey() });
    device.network.refresh();
    await eventually(() => expect(device.network.port).not.toBeNull());
  });

  it('[LK-9] a device uses another port when its port is taken', async () => {
    const first = makeDevice();
    onTestFinished(await first.network.keepListening());
    const second = makeDevice({ port: first.network.port as number });
    onTestFinished(await second.network.keepListening());
    expect(second.network.port).not.toBe(first.network.port);
  });
});

describe('unpairing', () => {
  it('[PA-9] unpairing a linked device ends the link and the pairing on both sides', async () => {
    const { dialler, answerer } = await linked();
    dialler.stores.peers.unpair(answerer.key.deviceId, 'us');
    dialler.network.refresh();
    expect(dialler.network.isLinked(answerer.key.deviceId)).toBe(false);
    await eventually(() => expect(answerer.stores.peers.paired()).toEqual([]));
    expect(answerer.stores.peers.get(dialler.key.deviceId)).toMatchObject({ unpairedBy: 'them' });
    expect(answerer.ends).toMatchObject([{ name: 'unpaired' }]);
  });

  it('[PA-9] an unpaired device learns it on its next connection, which is refused', async () => {
    const { dialler, answerer } = await pairOfDevices();
    answerer.stores.peers.unpair(dialler.key.deviceId, 'us');
    answerer.network.start();
    await eventually(() => expect(answerer.network.port).not.toBeNull());
    dialler.network.start();
    await eventually(() => expect(dialler.stores.peers.paired()).toEqual([]));
    expect(dialler.stores.peers.get(answerer.key.deviceId)).toMatchObject({ unpairedBy: 'them' });
    expect(answerer.stores.peers.get(dialler.key.deviceId)?.notifiedAt).not.toBeNull();
    expect([...dialler.links, ...answerer.links]).toEqual([]);
    expect(answerer.logged.filter(({ refusal }) => refusal === 'unpaired')).toHaveLength(1);
  });
});

describe('key checks', () => {
  it('[LK-5] a device with another key gets no greeting', async () => {
    const { dialler, answerer } = await pairOfDevices();
    const impostor = makeDevice();
    onTestFinished(await impostor.network.keepListening());
    pairRows(impostor, dialler);
    impostor.network.refresh();
    const dial = connectToPeer({
      key: dialler.key,
      peer: answerer.key,
      address: impostor.network.addresses[0] as string,
      ownAddresses: [],
      clock: systemClock,
      log: dialler.log,
      signal: new AbortController().signal,
    });
    await expect(dial).rejects.toMatchObject({ end: { name: 'wrong-key' } });
    await settle();
    expect(impostor.links).toEqual([]);
    expect(impostor.logged.filter(({ refusal }) => refusal !== 'connection-lost')).toEqual([]);
  });

  it('[LK-5] a device with the right id but another key hash is refused', async () => {
    const { dialler, answerer, address } = await pairOfDevices();
    answerer.network.refresh();
    const dial = connectToPeer({
      key: dialler.key,
      peer: { ...answerer.key, keyHash: makeKey().keyHash },
      address,
      ownAddresses: [],
      clock: systemClock,
      log: dialler.log,
      signal: new AbortController().signal,
    });
    await expect(dial).rejects.toMatchObject({ end: { name: 'wrong-key' } });
    expect(answerer.links).toEqual([]);
  });

  it("[LK-5] an address of another device doesn't prevent the link at the right one", async () => {
    const { dialler, answerer, address } = await pairOfDevices();
    const impostor = makeDevice();
    onTestFinished(await impostor.network.keepListening());
    pairRows(dialler, answerer, [...impostor.network.addresses, '127.0.0.1:1', address]);
    answerer.network.refresh();
    dialler.network.start();
    expect((await dialler.nextLink()).peerId).toBe(answerer.key.deviceId);
  });
});

async function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Accepts and closes connections, and counts them. */
async function startCounter(count: () => void): Promise<{ address: string; close: () => void }> {
  const server = createServer((socket) => {
    count();
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `127.0.0.1:${port}`, close: () => server.close() };
}

/** A TCP relay that counts bytes and can be frozen. */
async function startRelay(
  to: string,
): Promise<{ address: string; bytes: () => number; freeze: () => void }> {
  let bytes = 0;
  let isFrozen = false;
  const port = Number(to.split(':')[1]);
  const server = createServer((near) => {
    const far = connectTcp(port, '127.0.0.1');
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (chunk) => {
        if (isFrozen) return;
        bytes += chunk.length;
        into.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        if (!isFrozen) into.destroy();
      });
      onTestFinished(() => void from.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    freeze: () => {
      isFrozen = true;
    },
  };
}
