// Who is not let in, and what paired devices that go mad can do: nothing. Real sockets.
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROTOCOLS, type OpenKey } from '#main/sync/link/secure-socket.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import { LINK_HANDSHAKE_MS, MAX_GREETING_BYTES } from '#shared/limits.ts';
import { encodeHead, FrameDecoder, type Frame } from '#shared/sync/frames.ts';
import { encodeFrame } from '#test/support/encode-frame.ts';
import { makeDevice, makeKey, pairRows, type TestDevice } from '#test/sync/link/devices.ts';
import { eventually } from '#test/support/eventually.ts';

interface Heard {
  readonly socket: TLSSocket;
  readonly frames: Frame[];
  /** The name that came with the goodbye; rejects when the connection broke without one. */
  readonly goodbye: Promise<string>;
}

async function openDoor(
  options: Parameters<typeof makeDevice>[0] = {},
): Promise<{ device: TestDevice; port: number }> {
  const device = makeDevice(options);
  onTestFinished(await device.network.holdDoor());
  return { device, port: device.network.port as number };
}

/** A connection as any program could make it. */
function knock(port: number, options: ConnectionOptions): Heard {
  const socket = connectTls({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ALPNProtocols: [PROTOCOLS.link],
    ...options,
  });
  onTestFinished(() => void socket.destroy());
  const decoder = new FrameDecoder(2 ** 20);
  const frames: Frame[] = [];
  const goodbye = new Promise<string>((resolve, reject) => {
    socket.on('data', (bytes) => {
      decoder.push(bytes);
      for (let next = decoder.take(); next !== null; next = decoder.take()) {
        if (typeof next === 'string') return reject(new Error(next));
        frames.push(next);
        if (next.kind === 'goodbye')
          resolve((JSON.parse(Buffer.from(next.content).toString()) as { name: string }).name);
      }
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('closed without a goodbye')));
  });
  goodbye.catch(() => undefined);
  return { socket, frames, goodbye };
}

const withKey = (key: OpenKey): ConnectionOptions => ({
  key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  cert: key.certificate,
});

const GREETING = encodeFrame(
  'hello',
  Buffer.from(JSON.stringify({ version: 1, oldest: 1, addresses: [] })),
);

/** A device that is paired and then does what it likes. */
async function pairedAndMad(
  options: Parameters<typeof makeDevice>[0] = {},
): Promise<{ device: TestDevice; heard: Heard }> {
  const { device, port } = await openDoor(options);
  const key = makeKey();
  pairRows(device, { key });
  device.network.refresh();
  const heard = knock(port, withKey(key));
  return { device, heard };
}

function refusalsOf(device: TestDevice): (string | undefined)[] {
  return device.logged.map(({ refusal }) => refusal);
}

describe('strangers', () => {
  it('[LK-4] a device that is not paired is told so, and nothing of it is read', async () => {
    const { device, port } = await openDoor();
    pairRows(device, { key: makeKey() });
    device.network.refresh();
    const stranger = makeKey();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { goodbye, frames, socket } = knock(port, withKey(stranger));
      socket.write(Buffer.concat([GREETING, encodeFrame('data', Buffer.from('mine'))]));
      expect(await goodbye).toBe('unknown-device');
      expect(frames).toHaveLength(1);
    }
    expect(device.links).toEqual([]);
    expect(device.logged).toMatchObject([{ refusal: 'unknown-device', who: stranger.deviceId }]);
  });

  it('[LK-4] the id alone is not enough: the pin is the whole key', async () => {
    const { device, port } = await openDoor();
    const key = makeKey();
    device.stores.peers.pair({
      deviceId: key.deviceId,
      keyHash: makeKey().keyHash,
      name: 'Twin',
      addresses: [],
      pairedBy: 'link',
    });
    device.network.refresh();
    expect(await knock(port, withKey(key)).goodbye).toBe('unknown-device');
    expect(device.links).toEqual([]);
  });

  it('[LK-4] without a certificate nobody comes in', async () => {
    const { device, port } = await openDoor();
    expect(await knock(port, {}).goodbye).toBe('no-certificate');
    expect(refusalsOf(device)).toEqual(['no-certificate']);
  });

  it('[LK-4] a certificate of a paired key without that key does not pass', async () => {
    const { device, port } = await openDoor();
    const paired = makeKey();
    pairRows(device, { key: paired });
    device.network.refresh();
    const thief = { ...withKey(makeKey()), cert: paired.certificate };
    expect(() => knock(port, thief)).toThrow(/key values mismatch|KEY_VALUES_MISMATCH/i);
    expect(device.links).toEqual([]);
  });

  it.each([
    ['TLS 1.2', { maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' } as const],
    ['another protocol', { ALPNProtocols: ['h2'] }],
  ])('[LK-4] %s is refused in the handshake', async (_, options) => {
    const { device, port } = await openDoor();
    const key = makeKey();
    pairRows(device, { key });
    device.network.refresh();
    await expect(knock(port, { ...withKey(key), ...options }).goodbye).rejects.toThrow();
    await eventually(() => expect(refusalsOf(device)).toEqual(['wrong-protocol']));
  });

  it('[LK-4] no protocol at all is refused by name', async () => {
    const { device, port } = await openDoor();
    const key = makeKey();
    pairRows(device, { key });
    device.network.refresh();
    const heard = knock(port, { ...withKey(key), ALPNProtocols: [] });
    expect(await heard.goodbye).toBe('wrong-protocol');
    expect(refusalsOf(device)).toEqual(['wrong-protocol']);
  });

  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['noise', Buffer.alloc(100_000, 0xa5)],
    ['a hello of TLS that is cut', Buffer.from('16030101000100', 'hex')],
  ])('[LK-4] %s instead of TLS harms nobody', async (_, bytes) => {
    const { device, port } = await openDoor();
    const key = makeKey();
    pairRows(device, { key });
    device.network.refresh();
    const socket = connectTcp(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    // The next one is served as ever.
    const { socket: good, frames } = knock(port, withKey(key));
    good.write(GREETING);
    await eventually(() => expect(frames).toMatchObject([{ kind: 'hello' }]));
    expect(device.links).toHaveLength(1);
  });

  it('[LK-4] hundreds at once are turned away, and the door still opens', async () => {
    const { device, port } = await openDoor();
    const sockets = Array.from({ length: 200 }, () => connectTcp(port, '127.0.0.1'));
    for (const socket of sockets) socket.on('error', () => undefined);
    await Promise.all(
      sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))),
    );
    for (const socket of sockets) socket.destroy();
    const key = makeKey();
    pairRows(device, { key });
    device.network.refresh();
    await eventually(async () => {
      const { socket, frames } = knock(port, withKey(key));
      socket.write(GREETING);
      await eventually(() => expect(frames).toMatchObject([{ kind: 'hello' }]));
    });
  });
});

describe('a paired device that goes mad', () => {
  it('[LK-2] a frame of 1 GiB ends the link by its length', async () => {
    const { device, heard } = await pairedAndMad();
    heard.socket.write(GREETING);
    await eventually(() => expect(device.links).toHaveLength(1));
    heard.socket.write(encodeHead('data', 2 ** 30));
    expect(await heard.goodbye).toBe('frame-too-large');
    expect(device.ends).toMatchObject([{ name: 'frame-too-large' }]);
  });

  it('[LK-2] a greeting without end is cut off at its small limit', async () => {
    const { device, heard } = await pairedAndMad();
    heard.socket.write(encodeHead('hello', MAX_GREETING_BYTES + 1));
    heard.socket.write(Buffer.alloc(1024 * 1024));
    expect(await heard.goodbye).toBe('frame-too-large');
    expect(device.links).toEqual([]);
    expect(refusalsOf(device)).toEqual(['frame-too-large']);
  });

  it('[LK-2] an endless stream after the end is thrown away, and the socket shut', async () => {
    const { device, heard } = await pairedAndMad();
    heard.socket.write(GREETING);
    await eventually(() => expect(device.links).toHaveLength(1));
    heard.socket.write(Buffer.from([0, 0, 0, 1, 77]));
    expect(await heard.goodbye).toBe('garbled');
    const before = process.memoryUsage().arrayBuffers;
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024);
    while (!heard.socket.destroyed && written < 400 * 1024 * 1024) {
      written += chunk.length;
      if (heard.socket.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
      else
        await new Promise(
          (resolve) => void heard.socket.once('drain', resolve).once('close', resolve),
        );
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    expect(device.ends).toMatchObject([{ name: 'garbled' }]);
  });

  it.each([
    ['no JSON', encodeFrame('hello', Buffer.from('{'))],
    ['JSON of another kind', encodeFrame('hello', Buffer.from('[1]'))],
    ['no UTF-8', encodeFrame('hello', Buffer.from([0xff, 0xfe]))],
    ['data before the greeting', encodeFrame('data', Buffer.from('x'))],
    [
      'too many addresses',
      encodeFrame(
        'hello',
        Buffer.from(JSON.stringify({ version: 1, oldest: 1, addresses: Array(100).fill('a:1') })),
      ),
    ],
  ])('[LK-2] %s instead of a greeting is garbled', async (_, bytes) => {
    const { device, heard } = await pairedAndMad();
    heard.socket.write(bytes);
    expect(await heard.goodbye).toBe('garbled');
    expect(device.links).toEqual([]);
  });

  it.each([
    { version: 9, oldest: 2, more: 'of later' },
    { version: 9, oldest: 9 },
  ])('[LK-10] a version that does not fit is told by name: %j', async (greeting) => {
    const { device, heard } = await pairedAndMad();
    heard.socket.write(encodeFrame('hello', Buffer.from(JSON.stringify(greeting))));
    expect(await heard.goodbye).toBe('version-too-old');
    expect(refusalsOf(device)).toEqual(['version-too-old']);
  });

  it('[LK-10] a later version that still knows ours is understood', async () => {
    const { device, heard } = await pairedAndMad();
    const greeting = { version: 9, oldest: 1, addresses: [], more: { of: 'later' } };
    heard.socket.write(encodeFrame('hello', Buffer.from(JSON.stringify(greeting))));
    await eventually(() => expect(device.links).toHaveLength(1));
  });

  it('[LK-10] who says nothing is not waited for', async () => {
    const clock = createVirtualClock();
    const { heard, device } = await pairedAndMad({ clock });
    await new Promise((resolve) => heard.socket.once('secureConnect', resolve));
    await eventually(async () => {
      await clock.advance(LINK_HANDSHAKE_MS);
      expect(heard.frames).toHaveLength(1);
    });
    expect(await heard.goodbye).toBe('handshake-timeout');
    expect(refusalsOf(device)).toEqual(['handshake-timeout']);
  });
});
