// Pairing over real TLS: by link and by comparison, and every way in which it fails.
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

/** The link with some of it changed. */
function changed(link: string, change: Partial<PairingLink>): string {
  return formatPairingLink({ ...(parsePairingLink(link) as PairingLink), ...change });
}

describe('by link', () => {
  it('[PA-4] two devices are paired, share the space of the inviter, and are linked', async () => {
    const [inviter, joiner] = [makeDevice({ name: 'Desk' }), makeDevice({ name: 'Laptop' })];
    const space = inviter.space.id;
    inviter.network.start();
    joiner.network.start();
    const { link, invitation } = await inviter.desk.invite();
    expect(await joiner.desk.join(link)).toMatchObject({ deviceId: inviter.key.deviceId });
    expectPaired(inviter, joiner);
    expect(joiner.space.id).toBe(space);
    expect(joiner.stores.settings.get('space_id')).toBe(space);
    expect(inviter.stores.peers.paired()[0]).toMatchObject({ name: 'Laptop', pairedBy: 'link' });
    expect(joiner.stores.peers.paired()[0]).toMatchObject({ name: 'Desk', pairedBy: 'link' });
    expect(inviter.desk.invitation(invitation.id)).toMatchObject({
      status: 'used',
      usedBy: joiner.key.deviceId,
    });
    const [near, far] = await Promise.all([joiner.nextLink(), inviter.nextLink()]);
    expect([near.peerId, far.peerId]).toEqual([inviter.key.deviceId, joiner.key.deviceId]);
  });

  it('[PA-4] a third one joins the same space through any of them', async () => {
    const [first, second, third] = [makeDevice(), makeDevice(), makeDevice()];
    await second.desk.join((await first.desk.invite()).link);
    await third.desk.join((await second.desk.invite()).link);
    expect(new Set([first, second, third].map(({ space }) => space.id)).size).toBe(1);
    expect(second.stores.peers.paired()).toHaveLength(2);
    expect(first.stores.peers.paired()).toHaveLength(1);
  });

  it('[DS-6] the key of the space comes with the welcome; a wrong token brings none', async () => {
    const [inviter, joiner, guesser] = [makeDevice(), makeDevice(), makeDevice()];
    const key = await inviter.spaceKey.give();
    const own = await guesser.spaceKey.give();
    const { link } = await inviter.desk.invite();
    const guess = changed(link, { token: '1'.repeat(32) });
    expect(await failureOf(guesser.desk.join(guess))).toBe('unknown-invitation');
    expect(await guesser.spaceKey.give()).toBe(own);
    expect(own).not.toBe(key);
    await joiner.desk.join(link);
    expect(await joiner.spaceKey.give()).toBe(key);
    expect(await inviter.spaceKey.give()).toBe(key);
  });

  it('[DS-6] a device that cannot keep the key is not paired, and may open the link again', async () => {
    let isFull = true;
    let kept = '';
    const spaceKey = {
      give: async () => kept,
      take: async (key: string) => {
        if (isFull) throw new Error('no room');
        kept = key;
      },
    };
    const [inviter, joiner] = [makeDevice(), makeDevice({ spaceKey })];
    onTestFinished(await inviter.network.holdDoor());
    const space = joiner.space.id;
    const { link } = await inviter.desk.invite();
    expect(await failureOf(joiner.desk.join(link))).toBe('not-kept');
    expectUnpaired(joiner);
    expect(joiner.space.id).toBe(space);
    isFull = false;
    await joiner.desk.join(link);
    expectPaired(inviter, joiner);
    expect(kept).toBe(await inviter.spaceKey.give());
  });

  it('[PA-5] a link is used once; the same device may open it again', async () => {
    const [inviter, joiner, late] = [makeDevice(), makeDevice(), makeDevice()];
    onTestFinished(await inviter.network.holdDoor());
    const { link } = await inviter.desk.invite();
    await joiner.desk.join(link);
    await joiner.desk.join(link);
    expectPaired(inviter, joiner);
    expect(await failureOf(late.desk.join(link))).toBe('already-used');
    expectUnpaired(late);
    expect(inviter.stores.peers.list()).toHaveLength(1);
  });

  it('[PA-5] a link expires after ten minutes', async () => {
    const clock = createVirtualClock();
    const [inviter, joiner] = [makeDevice({ clock }), makeDevice({ clock })];
    onTestFinished(await inviter.network.holdDoor());
    const { link } = await inviter.desk.invite();
    await clock.advance(INVITATION_MS);
    expect(await failureOf(joiner.desk.join(link))).toBe('expired');
    expectUnpaired(inviter, joiner);
  });

  it('[PA-5] the door is shut again when the last invitation has ended', async () => {
    const clock = createVirtualClock();
    const [inviter, joiner] = [makeDevice({ clock }), makeDevice({ clock })];
    const { link } = await inviter.desk.invite();
    expect(inviter.network.port).not.toBeNull();
    await clock.advance(INVITATION_MS);
    await eventually(() => expect(inviter.network.port).toBeNull());
    expect(await failureOf(joiner.desk.join(link))).toBe('unreachable');
  });

  it('[PA-3] three wrong tokens end it, also for who has the right one', async () => {
    const [inviter, guesser, joiner] = [makeDevice(), makeDevice(), makeDevice()];
    onTestFinished(await inviter.network.holdDoor());
    const { link } = await inviter.desk.invite();
    for (const digit of ['1', '2', '3']) {
      const guess = changed(link, { token: digit.repeat(32) });
      expect(await failureOf(guesser.desk.join(guess))).toBe('unknown-invitation');
    }
    expect(await failureOf(joiner.desk.join(link))).toBe('too-many-tries');
    expectUnpaired(inviter, guesser, joiner);
  });

  it('[PA-5] a device that shares with others is refused by the wrong space', async () => {
    const [inviter, joiner, friend] = [makeDevice(), makeDevice(), makeDevice()];
    await friend.desk.join((await joiner.desk.invite()).link);
    const { space } = joiner;
    const { link, invitation } = await inviter.desk.invite();
    const before = space.id;
    expect(await failureOf(joiner.desk.join(link))).toBe('wrong-space');
    expect(space.id).toBe(before);
    expectUnpaired(inviter);
    expect(inviter.desk.invitation(invitation.id)?.status).toBe('open');
    // The other way round it works, as the sentence says.
    await inviter.desk.join((await joiner.desk.invite()).link);
    expect(inviter.space.id).toBe(before);
  });

  it('[PA-5] one that was unpaired from all others may join elsewhere', async () => {
    const [inviter, joiner, friend] = [makeDevice(), makeDevice(), makeDevice()];
    await friend.desk.join((await joiner.desk.invite()).link);
    joiner.stores.peers.unpair(friend.key.deviceId, 'us');
    await joiner.desk.join((await inviter.desk.invite()).link);
    expect(joiner.space.id).toBe(inviter.space.id);
  });

  it('[PA-5] clocks that are far apart are told', async () => {
    const inviter = makeDevice({ clock: createVirtualClock(Date.UTC(2026, 0, 1)) });
    const off = Date.UTC(2026, 0, 1) + MAX_CLOCK_DIFFERENCE_MS + 1;
    const joiner = makeDevice({ clock: createVirtualClock(off) });
    const { link } = await inviter.desk.invite();
    expect(await failureOf(joiner.desk.join(link))).toBe('clock-off');
    expectUnpaired(inviter, joiner);
  });

  it.each([
    ['bad-link', () => 'https://example.org/'],
    ['version-too-old', (link: string) => link.replace('v=1', 'v=2')],
    ['unreachable', (link: string) => changed(link, { addresses: ['127.0.0.1:1', '[::1]:1'] })],
    ['wrong-device', (link: string) => changed(link, { deviceId: makeKey().deviceId })],
  ] as const)('[PA-5] %s is told by its name', async (why, change) => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    const { link } = await inviter.desk.invite();
    expect(await failureOf(joiner.desk.join(change(link)))).toBe(why);
    expectUnpaired(inviter, joiner);
    // Nothing of it has used up the link.
    await joiner.desk.join(link);
    expectPaired(inviter, joiner);
  });

  it('[PA-5] the link of this very device is told by its name', async () => {
    const { desk } = makeDevice();
    expect(await failureOf(desk.join((await desk.invite()).link))).toBe('same-device');
  });

  it('[PA-1] the proof of the token goes to nobody but the device of the link', async () => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    const { link } = await inviter.desk.invite();
    const heard: Buffer[] = [];
    const server = createSecureServer(
      makeKey(),
      ({ socket }) => void socket.on('data', (bytes) => void heard.push(bytes)),
      () => undefined,
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { addresses } = parsePairingLink(link) as PairingLink;
    const detour = changed(link, { addresses: [`127.0.0.1:${port}`, ...addresses] });
    await joiner.desk.join(detour);
    expectPaired(inviter, joiner);
    expect(heard).toEqual([]);
  });

  it('[PA-9] paired again after an unpairing, they are linked again', async () => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    inviter.network.start();
    joiner.network.start();
    await joiner.desk.join((await inviter.desk.invite()).link);
    await Promise.all([joiner.nextLink(), inviter.nextLink()]);
    inviter.stores.peers.unpair(joiner.key.deviceId, 'us');
    inviter.network.refresh();
    await eventually(() => expect(joiner.stores.peers.paired()).toEqual([]));
    await joiner.desk.join((await inviter.desk.invite()).link);
    await Promise.all([joiner.nextLink(), inviter.nextLink()]);
    expectPaired(inviter, joiner);
  });
});

describe('by comparison', () => {
  async function comparing(options: Parameters<typeof makeDevice>[0] = {}): Promise<{
    inviter: TestDevice;
    joiner: TestDevice;
  }> {
    const inviter = makeDevice({ ...options, name: 'Desk' });
    const joiner = makeDevice({ ...options, name: 'Laptop' });
    await inviter.desk.waitForComparison();
    await joiner.desk.compareWith(inviter.network.addresses);
    return { inviter, joiner };
  }

  function answer({ desk }: TestDevice, isSame: boolean): void {
    expect(desk.answer(desk.comparison?.id as string, isSame)).toBe(true);
  }

  it.each([['joiner'], ['inviter']])(
    '[PA-6] both see the same digits and confirm, the %s first: paired',
    async (first) => {
      const { inviter, joiner } = await comparing();
      expect(joiner.desk.comparison).toMatchObject({
        peerName: 'Desk',
        peer: { deviceId: inviter.key.deviceId },
      });
      expect(inviter.desk.comparison).toMatchObject({ peerName: 'Laptop' });
      expect(joiner.desk.comparison?.digits).toMatch(/^\d{6}$/);
      expect(joiner.desk.comparison?.digits).toBe(inviter.desk.comparison?.digits);
      const order = first === 'joiner' ? [joiner, inviter] : [inviter, joiner];
      answer(order[0] as TestDevice, true);
      expectUnpaired(inviter, joiner);
      answer(order[1] as TestDevice, true);
      await eventually(() => expectPaired(inviter, joiner));
      expect(joiner.stores.peers.paired()[0]).toMatchObject({
        pairedBy: 'comparison',
        name: 'Desk',
      });
      for (const { desk } of [inviter, joiner]) expect(desk.comparison?.state.is).toBe('paired');
      expect(await joiner.spaceKey.give()).toBe(await inviter.spaceKey.give());
    },
  );

  it.each([['joiner'], ['inviter']])('[PA-6] a no of the %s ends it on both sides', async (who) => {
    const { inviter, joiner } = await comparing();
    answer(who === 'joiner' ? inviter : joiner, true);
    answer(who === 'joiner' ? joiner : inviter, false);
    await eventually(() => {
      for (const { desk } of [inviter, joiner]) {
        expect(desk.comparison?.state).toEqual({ is: 'failed', why: 'no-match' });
      }
    });
    expect(await joiner.spaceKey.give()).not.toBe(await inviter.spaceKey.give());
    expectUnpaired(inviter, joiner);
    expect(joiner.desk.answer(joiner.desk.comparison?.id as string, true)).toBe(false);
  });

  it('[PA-7] a device that does not wait for it refuses; one that compares is busy', async () => {
    const { inviter, joiner } = await comparing();
    const third = makeDevice();
    const address = inviter.network.addresses[0] as string;
    expect(await failureOf(third.desk.compareWith([address]))).toBe('busy');
    expect(await failureOf(joiner.desk.compareWith([address]))).toBe('busy');
    const shy = makeDevice();
    onTestFinished(await shy.network.holdDoor());
    expect(await failureOf(third.desk.compareWith(shy.network.addresses))).toBe('not-waiting');
    expect(await failureOf(third.desk.compareWith(['127.0.0.1:1']))).toBe('unreachable');
  });

  it('[PA-3] three comparisons without a match end the waiting', async () => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    onTestFinished(await inviter.network.holdDoor());
    await inviter.desk.waitForComparison();
    const address = inviter.network.addresses[0] as string;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await joiner.desk.compareWith([address]);
      answer(joiner, false);
      await eventually(() => expect(inviter.desk.comparison?.state.is).toBe('failed'));
    }
    expect(await failureOf(joiner.desk.compareWith([address]))).toBe('too-many-tries');
    await inviter.desk.waitForComparison();
    await joiner.desk.compareWith([address]);
  });

  it('[PA-7] nobody answers in time: it ends by name on both sides', async () => {
    const clock = createVirtualClock();
    const { inviter, joiner } = await comparing({ clock });
    await clock.advance(COMPARISON_MS);
    await eventually(() => {
      for (const { desk } of [inviter, joiner]) {
        expect(desk.comparison?.state).toEqual({ is: 'failed', why: 'timed-out' });
      }
    });
    expectUnpaired(inviter, joiner);
  });

  it('[PA-7] the other device goes away: it ends by name', async () => {
    const { inviter, joiner } = await comparing();
    joiner.desk.stop();
    await eventually(() =>
      expect(inviter.desk.comparison?.state).toEqual({ is: 'failed', why: 'gone' }),
    );
    expectUnpaired(inviter, joiner);
  });
});

describe('strangers at the desk', () => {
  it.each([
    ['noise', Buffer.alloc(64, 0xee)],
    ['no JSON', encodeFrame('data', Buffer.from('hello'))],
    [
      'a welcome instead of a hello',
      encodeFrame(
        'data',
        Buffer.from(JSON.stringify({ type: 'welcome', name: 'x', addresses: [], spaceId: 's' })),
      ),
    ],
    ['a ping', encodeFrame('ping', Buffer.alloc(0))],
    ['a frame over the small limit', encodeFrame('data', Buffer.alloc(100_000))],
  ])('[PA-8] %s pairs nobody, and the invitation stays', async (_, bytes) => {
    const [inviter, joiner] = [makeDevice(), makeDevice()];
    const { link } = await inviter.desk.invite();
    const address = parseAddress(inviter.network.addresses[0] as string) as Address;
    const never = new AbortController().signal;
    const { socket } = await dialSecurely(makeKey(), address, 'pairing', never);
    socket.resume();
    socket.write(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    expectUnpaired(inviter);
    await joiner.desk.join(link);
    expectPaired(inviter, joiner);
  });

  it('[PA-8] an unpaired device gets no link by pairing with nobody', async () => {
    const inviter = makeDevice();
    await inviter.desk.invite();
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
