// Connections of unpaired and of misbehaving paired devices, over real sockets.
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

interface Client {
  readonly socket: TLSSocket;
  readonly frames: Frame[];
  /** The name in the goodbye; rejects when the connection ends without one. */
  readonly goodbye: Promise<string>;
}

async function startListening(
  options: Parameters<typeof makeDevice>[0] = {},
): Promise<{ device: TestDevice; port: number }> {
  const device = makeDevice(options);
  onTestFinished(await device.network.keepListening());
  return { device, port: device.network.port as number };
}

/** A raw TLS connection. */
function dial(port: number, options: ConnectionOptions): Client {
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

/** A paired device that the test controls byte by byte. */
async function rawPeer(
  options: Parameters<typeof makeDevice>[0] = {},
): Promise<{ device: TestDevice; client: Client }> {
  const { device, port } = await startListening(options);
  const key = makeKey();
  pairRows(device, { key });
  device.network.refresh();
  const client = dial(port, withKey(key));
  return { device, client };
}

function refusalsOf(device: TestDevice): (string | undefined)[] {
  return device.logged.map(({ refusal }) => refusal);
}

describe('unpaired devices', () => {
  it('[LK-4] an unpaired device is refused as unknown-device and logged once', async () => {
    const { device, port } = await startListening();
    pairRows(device, { key: makeKey() });
    device.network.refresh();
    const stranger = makeKey();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const { goodbye, frames, socket } = dial(port, withKey(stranger));
      socket.write(Buffer.concat([GREETING, encodeFrame('data', Buffer.from('mine'))]));
      expect(await goodbye).toBe('unknown-device');
      expect(frames).toHaveLength(1);
    }
    expect(device.links).toEqual([]);
    expect(device.logged).toMatchObject([{ refusal: 'unknown-device', who: stranger.deviceId }]);
  });

  it('[LK-4] a device with a paired id but another key hash is refused', async () => {
    const { device, port } = await startListening();
    const key = makeKey();
    device.stores.peers.pair({
      deviceId: key.deviceId,
      keyHash: makeKey().keyHash,
      name: 'Twin',
      addresses: [],
      pairedBy: 'link',
    });
    device.network.refresh();
    expect(await dial(port, withKey(key)).goodbye).toBe('unknown-device');
    expect(device.links).toEqual([]);
  });

  it('[LK-4] a connection without a certificate is refused', async () => {
    const { device, port } = await startListening();
    expect(await dial(port, {}).goodbye).toBe('no-certificate');
    expect(refusalsOf(device)).toEqual(['no-certificate']);
  });

  it("[LK-4] a paired certificate can't be used without its private key", async () => {
    const { device, port } = await startListening();
    const paired = makeKey();
    pairRows(device, { key: paired });
    device.network.refresh();
    const thief = { ...withKey(makeKey()), cert: paired.certificate };
    expect(() => dial(port, thief)).toThrow(/key values mismatch|KEY_VALUES_MISMATCH/i);
    expect(device.links).toEqual([]);
  });

  it.each([
    ['TLS 1.2', { maxVersion: 'TLSv1.2', minVersion: 'TLSv1.2' } as const],
    ['another protocol', { ALPNProtocols: ['h2'] }],
  ])('[LK-4] %s is refused in the handshake', async (_, options) => {
    const { device, port } = await startListening();
    const key = makeKey();
    pairRows(device, { key });
    device.network.refresh();
    await expect(dial(port, { ...withKey(key), ...options }).goodbye).rejects.toThrow();
    await eventually(() => expect(refusalsOf(device)).toEqual(['wrong-protocol']));
  });

  it('[LK-4] a connection without ALPN is refused as wrong-protocol', async () => {
    const { device, port } = await startListening();
    const key = makeKey();
    pairRows(device, { key });
    device.network.refresh();
    const client = dial(port, { ...withKey(key), ALPNProtocols: [] });
    expect(await client.goodbye).toBe('wrong-protocol');
    expect(refusalsOf(device)).toEqual(['wrong-protocol']);
  });

  it.each([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['noise', Buffer.alloc(100_000, 0xa5)],
    ['a truncated TLS hello', Buffer.from('16030101000100', 'hex')],
  ])('[LK-4] after %s instead of TLS, the next device still connects', async (_, bytes) => {
    const { device, port } = await startListening();
    const key = makeKey();
    pairRows(device, { key });
    device.network.refresh();
    const socket = connectTcp(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.end(bytes);
    await new Promise((resolve) => socket.once('close', resolve));
    const { socket: good, frames } = dial(port, withKey(key));
    good.write(GREETING);
    await eventually(() => expect(frames).toMatchObject([{ kind: 'hello' }]));
    expect(device.links).toHaveLength(1);
  });

  it('[LK-4] after 200 idle connections a paired device still connects', async () => {
    const { device, port } = await startListening();
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
      const { socket, frames } = dial(port, withKey(key));
      socket.write(GREETING);
      await eventually(() => expect(frames).toMatchObject([{ kind: 'hello' }]));
    });
  });
});

describe('misbehaving paired devices', () => {
  it('[LK-2] a frame of 1 GiB ends the link before its content arrives', async () => {
    const { device, client } = await rawPeer();
    client.socket.write(GREETING);
    await eventually(() => expect(device.links).toHaveLength(1));
    client.socket.write(encodeHead('data', 2 ** 30));
    expect(await client.goodbye).toBe('frame-too-large');
    expect(device.ends).toMatchObject([{ name: 'frame-too-large' }]);
  });

  it('[LK-2] a greeting over its limit is refused', async () => {
    const { device, client } = await rawPeer();
    client.socket.write(encodeHead('hello', MAX_GREETING_BYTES + 1));
    client.socket.write(Buffer.alloc(1024 * 1024));
    expect(await client.goodbye).toBe('frame-too-large');
    expect(device.links).toEqual([]);
    expect(refusalsOf(device)).toEqual(['frame-too-large']);
  });

  it('[LK-2] bytes after the end are discarded without growing memory', async () => {
    const { device, client } = await rawPeer();
    client.socket.write(GREETING);
    await eventually(() => expect(device.links).toHaveLength(1));
    client.socket.write(Buffer.from([0, 0, 0, 1, 77]));
    expect(await client.goodbye).toBe('garbled');
    const before = process.memoryUsage().arrayBuffers;
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024);
    while (!client.socket.destroyed && written < 400 * 1024 * 1024) {
      written += chunk.length;
      if (client.socket.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
      else
        await new Promise(
          (resolve) => void client.socket.once('drain', resolve).once('close', resolve),
        );
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    expect(device.ends).toMatchObject([{ name: 'garbled' }]);
  });

  it.each([
    ['invalid JSON', encodeFrame('hello', Buffer.from('{'))],
    ['JSON that is not an object', encodeFrame('hello', Buffer.from('[1]'))],
    ['invalid UTF-8', encodeFrame('hello', Buffer.from([0xff, 0xfe]))],
    ['data before the greeting', encodeFrame('data', Buffer.from('x'))],
    [
      'too many addresses',
      encodeFrame(
        'hello',
        Buffer.from(JSON.stringify({ version: 1, oldest: 1, addresses: Array(100).fill('a:1') })),
      ),
    ],
  ])('[LK-2] %s instead of a greeting ends the link as garbled', async (_, bytes) => {
    const { device, client } = await rawPeer();
    client.socket.write(bytes);
    expect(await client.goodbye).toBe('garbled');
    expect(device.links).toEqual([]);
  });

  it.each([
    { version: 9, oldest: 2, more: 'of later' },
    { version: 9, oldest: 9 },
  ])('[LK-10] an incompatible version is refused as version-too-old: %j', async (greeting) => {
    const { device, client } = await rawPeer();
    client.socket.write(encodeFrame('hello', Buffer.from(JSON.stringify(greeting))));
    expect(await client.goodbye).toBe('version-too-old');
    expect(refusalsOf(device)).toEqual(['version-too-old']);
  });

  it('[LK-10] a newer version that supports ours is accepted', async () => {
    const { device, client } = await rawPeer();
    const greeting = { version: 9, oldest: 1, addresses: [], more: { of: 'later' } };
    client.socket.write(encodeFrame('hello', Buffer.from(JSON.stringify(greeting))));
    await eventually(() => expect(device.links).toHaveLength(1));
  });

  it('[LK-10] a device that sends no greeting is refused after the timeout', async () => {
    const clock = createVirtualClock();
    const { client, device } = await rawPeer({ clock });
    await new Promise((resolve) => client.socket.once('secureConnect', resolve));
    await eventually(async () => {
      await clock.advance(LINK_HANDSHAKE_MS);
      expect(client.frames).toHaveLength(1);
    });
    expect(await client.goodbye).toBe('handshake-timeout');
    expect(refusalsOf(device)).toEqual(['handshake-timeout']);
  });
});
