// Pairing over real TLS: by link and by comparison, with every failure.
import { describe, expect, it, onTestFinished } from 'vitest';
import { PairingFailed } from '#main/sync/link/pairing-failed.ts';
import { createSecureServer, dialSecurely } from '#main/sync/link/secure-socket.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import { COMPARISON_MS, INVITATION_MS, MAX_CLOCK_DIFFERENCE_MS } from '#shared/limits.ts';
import { parseAddress, type Address } from '#shared/sync/address.ts';
import type { PairingFailure } from '#shared/sync/pairing/failures.ts';
import {
  formatPairingLink,
  parsePairingLink,
  type PairingLink,
} from '#shared/sync/pairing/link.ts';
import { encodeFrame } from '#test/support/encode-frame.ts';
import { makeDevice, makeKey, pairRows, type TestDevice } from '#test/sync/link/devices.ts';
import { eventually } from '#test/support/eventually.ts';

async function failureOf(work: Promise<unknown>): Promise<PairingFailure> {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (caught: unknown) => caught,
  );
  if (error instanceof PairingFailed) return error.why;
  throw error;
}

function expectPaired(one: TestDevice, other: TestDevice): void {
  expect(one.stores.peers.paired()).toMatchObject([
    { deviceId: other.key.deviceId, keyHash: other.key.keyHash },
  ]);
  expect(other.stores.peers.paired()).toMatchObject([
    { deviceId: one.key.deviceId, keyHash: one.key.keyHash },
  ]);
  expect(one.space.id).toBe(other.space.id);
}

function expectUnpaired(...devices: readonly TestDevice[]): void {
  for (const { stores } of devices) expect(stores.peers.list()).toEqual([]);
}

/** The link with changed fields. */
function changed(link: string, change: Partial<PairingLink>): string {
  return formatPairingLink({ ...(parsePairingLink(link) as PairingLink), ...change });
}

describe('pairing by link', () => {
  it("[PA-4] both devices are paired, in the inviter's space, and linked", async () => {
    const [inviter, joiner] = [makeDevice({ name: 'Desk' }), makeDevice({ name: 'Laptop' })];
    const space = inviter.space.id;
    inviter.network.start();
    joiner.network.start();
    const { link, invitation } = await inviter.pairing.invite();
    expect(await joiner.pairing.join(link)).toMatchObject({ deviceId: inviter.key.deviceId });
    expectPaired(inviter, joiner);
    expect(joiner.space.id).toBe(space);
    expect(joiner.stores.settings.get('space_id')).toBe(space);
    expect(inviter.stores.peers.paired()[0]).toMatchObject({ name: 'Laptop', pairedBy: 'link' });
    expect(joiner.stores.peers.paired()[0]).toMatchObject({ name: 'Desk', pairedBy: 'link' });
    expect(inviter.pairing.invitation(invitation.id)).toMatchObject({
      status: 'used',
      usedBy: joiner.key.deviceId,
    });
    const [near, far] = await Promise.all([joiner.nextLink(), inviter.nextLink()]);
    expect([near.peerId, far.peerId]).toEqual([inviter.key.deviceId, joiner.key.deviceId]);
  });

  it('[PA-4] a third device joins the same space through the second', async () => {
    const [first, second, third] = [makeDevice(), makeDevice(), makeDevice()];
    await second.pairing.join((await first.pairing.invite()).link);
    await third.pairing.join((await second.pairing.invite()).link);
    expect(new Set([first, second, third].map(({ space }) => space.id)).size).toBe(1);
    expect(second.stores.peers.paired()).toHaveLength(2);
    expect(first.stores.peers.paired()).toHaveLength(1);
  });

  it("[DS-6] joining imports the space key; a wrong token doesn't", async () => {
    const [inviter, joiner, guesser] = [makeDevice(), makeDevice(), makeDevice()];
    const key = await inviter.spaceKey.export();
    const own = await guesser.spaceKey.export();
    const { link } = await inviter.pairing.invite();
    const guess = changed(link, { token: '1'.repeat(32) });
    expect(await failureOf(guesser.pairing.join(guess))).toBe('unknown-invitation');
    expect(await guesser.spaceKey.export()).toBe(own);
    expect(own).not.toBe(key);
    await joiner.pairing.join(link);
    expect(await joiner.spaceKey.export()).toBe(key);
    expect(await inviter.spaceKey.export()).toBe(key);
  });

  it("[DS-6] a device that can't save the key is not paired and can use the link again", async () => {
    let isFull = true;
    let saved = '';
    const spaceKey = {
      export: async () => saved,
      import: async (key: string) => {
        if (isFull) throw new Error('no room');
        saved = key;
      },
    };
    const [inviter, joiner] = [makeDevice(), makeDevice({ spaceKey })];
    onTestFinished(await inviter.network.keepListening());
    const space = joiner.space.id;
    const { link } = await inviter.pairing.invite();
    expect(await failureOf(joiner.pairing.join(link))).toBe('not-kept');
    expectUnpaired(joiner);
    expect(joiner.space.id).toBe(space);
    isFull = false;
    await joiner.pairing.join(link);
    expectPaired(inviter, joiner);
    expect(saved).toBe(await inviter.spaceKey.export());
  });

  it('[PA-5] a link pairs one device, which may use it again', async () => {
    const [inviter, joiner, late] = [makeDevice(), makeDevice(), makeDevice()];
    onTestFinished(await inviter.network.keepListening());
    const { link } = await inviter.pairing.invite();
    await joiner.pairing.join(link);
    await joiner.pairing.join(link);
    expectPaired(inviter, joiner);
    expect(await failureOf(late.pairing.join(link))).toBe('already-used');
    expectUnpaired(late);
    expect(inviter.stores.peers.list()).toHaveLength(1);
  });

  it('[PA-5] a link expires after ten minutes', async () => {
    const clock = createVirtualClock();
    const [inviter, joiner] = [makeDevice({ clock }), makeDevice({ clock })];
    onTestFinished(await inviter.network.keepListening());
    const { link } = await inviter.pairing.invite();
    await clock.advance(INVITATION_MS);
    expect(await failureOf(joiner.pairing.join(link))).toBe('expired');
    expectUnpaired(inviter, joiner);
  });

  it('[PA-5] the inviter stops listening when its last invitation expires', async () => {
    const clock = createVirtualClock();
    const [inviter, joiner] = [makeDevice({ clock }), makeDevice({ clock })];
    const { link } = await inviter.pairing.invite();
    expect(inviter.network.port).not.toBeNull();
    await clock.advance(INVITATION_MS);
    await eventually(() => expect(inviter.network.port).toBeNull());
    expect(await failureOf(joiner.pairing.join(link))).toBe('unreachable');
  });

  it('[PA-3] three wrong tokens end the invitation, also for the right token', async () => {
    const [inviter, guesser, joiner] = [makeDevice(), makeDevice(), makeDevice()];
    onTestFinished(await inviter.network.keepListening());
    const { link } = await inviter.pairing.invite();
    for (const digit of ['1', '2', '3']) {
      const guess = changed(link, { token: digit.repeat(32) });
      expect(await failureOf(guesser.pairing.join(guess))).toBe('unknown-invitation');
    }
    expect(await failureOf(joiner.pairing.join(link))).toBe('too-many-tries');
    expectUnpaired(inviter, guesser, joiner);
  });

  it("[PA-5] a device with other peers can't join another space", async () => {
    const [inviter, joiner, friend] = [makeDevice(), makeDevice(), makeDevice()];
    await friend.pairing.join((await joiner.pairing.invite()).link);
    const { space } = joiner;
    const { link, invitation } = await inviter.pairing.invite();
    const before = space.id;
    expect(await failureOf(joiner.pairing.join(link))).toBe('wrong-space');
    expect(space.id).toBe(before);
    expectUnpaired(inviter);
    expect(inviter.pairing.invitation(invitation.id)?.status).toBe('open');
    // In the other direction it works, as the message says.
    await inviter.pairing.join((await joiner.pairing.invite()).link);
    expect(inviter.space.id).toBe(before);
  });

  it('[PA-5] a device that was unpaired from all others can join another space', async () => {
    const [inviter, joiner, friend] = [makeDevice(), makeDevice(), makeDevice()];
    await friend.pairing.join((await joiner.pairing.invite()).link);
    joiner.stores.peers.unpair(friend.key.deviceId, 'us');
    await joiner.pairing.join((await inviter.pairing.invite()).link);
    expect(joiner.space.id).toBe(inviter.space.id);
  });

  it('[PA-5] clocks that differ too much fail with clock-off', async () => {
    const inviter = makeDevice({ clock: createVirtualClock(Date.UTC(2026, 0, 1)) });
    const off = Date.UTC(2026, 0, 1) + MAX_CLOCK_DIFFERENCE_MS + 1;
    const joiner = makeDevice({ clock: createVirtualClock(off) });
    const { link } = await inviter.pairing.invite();
    expect(await failureOf(joiner.pairing.join(link))).toBe('clock-off');
    expectUnpaired(inviter, joiner);
  });

  it.each([
    ['bad-link', () => 'https://example.org/'],
    ['version-too-old', (link: string) => link.replace('v=1', 'v=2')],
    ['unreachable', (link: string) => changed(link, { addresses: ['127.0.0.1:1', '[::1]:1'] })],
    ['wrong-device', (link: string) => changed(link, { deviceId: makeKey().deviceId })],
  ] as const)('[PA-5] a changed link fails with %s and can still be used', async (why, change) => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    const { link } = await inviter.pairing.invite();
    expect(await failureOf(joiner.pairing.join(change(link)))).toBe(why);
    expectUnpaired(inviter, joiner);
    await joiner.pairing.join(link);
    expectPaired(inviter, joiner);
  });

  it("[PA-5] a device's own link fails with same-device", async () => {
    const { pairing } = makeDevice();
    expect(await failureOf(pairing.join((await pairing.invite()).link))).toBe('same-device');
  });

  it('[PA-1] a device with another key receives nothing', async () => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    const { link } = await inviter.pairing.invite();
    const received: Buffer[] = [];
    const server = createSecureServer(
      makeKey(),
      ({ socket }) => void socket.on('data', (bytes) => void received.push(bytes)),
      () => undefined,
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { addresses } = parsePairingLink(link) as PairingLink;
    const detour = changed(link, { addresses: [`127.0.0.1:${port}`, ...addresses] });
    await joiner.pairing.join(detour);
    expectPaired(inviter, joiner);
    expect(received).toEqual([]);
  });

  it('[PA-9] devices that pair again after an unpairing are linked again', async () => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    inviter.network.start();
    joiner.network.start();
    await joiner.pairing.join((await inviter.pairing.invite()).link);
    await Promise.all([joiner.nextLink(), inviter.nextLink()]);
    inviter.stores.peers.unpair(joiner.key.deviceId, 'us');
    inviter.network.refresh();
    await eventually(() => expect(joiner.stores.peers.paired()).toEqual([]));
    await joiner.pairing.join((await inviter.pairing.invite()).link);
    await Promise.all([joiner.nextLink(), inviter.nextLink()]);
    expectPaired(inviter, joiner);
  });
});

describe('pairing by comparison', () => {
  async function comparing(options: Parameters<typeof makeDevice>[0] = {}): Promise<{
    inviter: TestDevice;
    joiner: TestDevice;
  }> {
    const inviter = makeDevice({ ...options, name: 'Desk' });
    const joiner = makeDevice({ ...options, name: 'Laptop' });
    await inviter.pairing.waitForComparison();
    await joiner.pairing.compareWith(inviter.network.addresses);
    return { inviter, joiner };
  }

  function answer({ pairing }: TestDevice, isSame: boolean): void {
    expect(pairing.answer(pairing.comparison?.id as string, isSame)).toBe(true);
  }

  it.each([['joiner'], ['inviter']])(
    '[PA-6] both show the same digits and are paired after both confirm, %s first',
    async (first) => {
      const { inviter, joiner } = await comparing();
      expect(joiner.pairing.comparison).toMatchObject({
        peerName: 'Desk',
        peer: { deviceId: inviter.key.deviceId },
      });
      expect(inviter.pairing.comparison).toMatchObject({ peerName: 'Laptop' });
      expect(joiner.pairing.comparison?.digits).toMatch(/^\d{6}$/);
      expect(joiner.pairing.comparison?.digits).toBe(inviter.pairing.comparison?.digits);
      const order = first === 'joiner' ? [joiner, inviter] : [inviter, joiner];
      answer(order[0] as TestDevice, true);
      expectUnpaired(inviter, joiner);
      answer(order[1] as TestDevice, true);
      await eventually(() => expectPaired(inviter, joiner));
      expect(joiner.stores.peers.paired()[0]).toMatchObject({
        pairedBy: 'comparison',
        name: 'Desk',
      });
      for (const { pairing } of [inviter, joiner])
        expect(pairing.comparison?.state.is).toBe('paired');
      expect(await joiner.spaceKey.export()).toBe(await inviter.spaceKey.export());
    },
  );

  it.each([['joiner'], ['inviter']])(
    '[PA-6] a rejection by the %s ends the comparison on both sides',
    async (who) => {
      const { inviter, joiner } = await comparing();
      answer(who === 'joiner' ? inviter : joiner, true);
      answer(who === 'joiner' ? joiner : inviter, false);
      await eventually(() => {
        for (const { pairing } of [inviter, joiner]) {
          expect(pairing.comparison?.state).toEqual({ is: 'failed', why: 'no-match' });
        }
      });
      expect(await joiner.spaceKey.export()).not.toBe(await inviter.spaceKey.export());
      expectUnpaired(inviter, joiner);
      expect(joiner.pairing.answer(joiner.pairing.comparison?.id as string, true)).toBe(false);
    },
  );

  it('[PA-7] a comparison is refused by a busy, not waiting or unreachable device', async () => {
    const { inviter, joiner } = await comparing();
    const third = makeDevice();
    const address = inviter.network.addresses[0] as string;
    expect(await failureOf(third.pairing.compareWith([address]))).toBe('busy');
    expect(await failureOf(joiner.pairing.compareWith([address]))).toBe('busy');
    const shy = makeDevice();
    onTestFinished(await shy.network.keepListening());
    expect(await failureOf(third.pairing.compareWith(shy.network.addresses))).toBe('not-waiting');
    expect(await failureOf(third.pairing.compareWith(['127.0.0.1:1']))).toBe('unreachable');
  });

  it('[PA-3] three failed comparisons end the waiting until it is restarted', async () => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    onTestFinished(await inviter.network.keepListening());
    await inviter.pairing.waitForComparison();
    const address = inviter.network.addresses[0] as string;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await joiner.pairing.compareWith([address]);
      answer(joiner, false);
      await eventually(() => expect(inviter.pairing.comparison?.state.is).toBe('failed'));
    }
    expect(await failureOf(joiner.pairing.compareWith([address]))).toBe('too-many-tries');
    await inviter.pairing.waitForComparison();
    await joiner.pairing.compareWith([address]);
  });

  it('[PA-7] a comparison without answers times out on both sides', async () => {
    const clock = createVirtualClock();
    const { inviter, joiner } = await comparing({ clock });
    await clock.advance(COMPARISON_MS);
    await eventually(() => {
      for (const { pairing } of [inviter, joiner]) {
        expect(pairing.comparison?.state).toEqual({ is: 'failed', why: 'timed-out' });
      }
    });
    expectUnpaired(inviter, joiner);
  });

  it('[PA-7] a comparison ends as gone when the other device stops', async () => {
    const { inviter, joiner } = await comparing();
    joiner.pairing.stop();
    await eventually(() =>
      expect(inviter.pairing.comparison?.state).toEqual({ is: 'failed', why: 'gone' }),
    );
    expectUnpaired(inviter, joiner);
  });
});

describe('invalid pairing connections', () => {
  it.each([
    ['noise', Buffer.alloc(64, 0xee)],
    ['invalid JSON', encodeFrame('data', Buffer.from('hello'))],
    [
      'a welcome instead of a hello',
      encodeFrame(
        'data',
        Buffer.from(JSON.stringify({ type: 'welcome', name: 'x', addresses: [], spaceId: 's' })),
      ),
    ],
    ['a ping', encodeFrame('ping', Buffer.alloc(0))],
    ['a frame over the small limit', encodeFrame('data', Buffer.alloc(100_000))],
  ])('[PA-8] %s pairs no device, and the invitation stays usable', async (_, bytes) => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    const { link } = await inviter.pairing.invite();
    const address = parseAddress(inviter.network.addresses[0] as string) as Address;
    const never = new AbortController().signal;
    const { socket } = await dialSecurely(makeKey(), address, 'pairing', never);
    socket.resume();
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    expectUnpaired(inviter);
    await joiner.pairing.join(link);
    expectPaired(inviter, joiner);
  });

  it('[PA-8] an unpaired device gets no link while an invitation is open', async () => {
    const inviter = makeDevice();
    await inviter.pairing.invite();
    const stranger = makeDevice();
    pairRows(stranger, inviter, inviter.network.addresses);
    stranger.network.start();
    await eventually(() =>
      expect(stranger.network.lastEnd(inviter.key.deviceId)).toMatchObject({
        name: 'unknown-device',
      }),
    );
    expect(inviter.links).toEqual([]);
  });
});
