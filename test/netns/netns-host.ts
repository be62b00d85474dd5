// One host in its own network namespace, controlled by JSON lines on its standard input. It can also stop
// the host and attack others with the host's key.
import { randomBytes } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { connect as connectTcp } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { createHost, type Host } from '#main/host/host.ts';
import { createLog } from '#main/host/log.ts';
import { makeDeviceKey } from '#main/sync/link/device-key.ts';
import { LINK_VERSION } from '#main/sync/link/greeting.ts';
import { PROTOCOLS, type OpenKey } from '#main/sync/link/secure-socket.ts';
import { FRAME, PROTOCOL_VERSION } from '#main/sync/session/control-messages.ts';
import { encodeHead, FrameDecoder } from '#shared/sync/frames.ts';
import { encodeFrame } from '#test/support/encode-frame.ts';

export interface Attack {
  readonly address: string;
  readonly port: number;
  /** `own`: the key of the host that ran in this process. */
  readonly key: 'own' | 'fresh';
  readonly sends: keyof typeof ATTACKS;
}

export interface WorkerAnswers {
  readonly start: { readonly deviceId: string };
  readonly stop: null;
  readonly call: unknown;
  readonly publish: null;
  readonly rss: number;
  /** Connections that the host has accepted so far. */
  readonly connections: number;
  /** The reason that the other side gave when it ended the connection. */
  readonly attack: string;
}

const [dataDir] = process.argv.slice(2) as [string];
let host: Host | undefined;
let key: OpenKey | undefined;

const hello = (versions: object): Uint8Array =>
  encodeFrame('hello', Buffer.from(JSON.stringify({ addresses: [], ...versions })));
const GREETING = hello({ version: LINK_VERSION, oldest: 1 });
const sessionHello = { type: 'hello', protocol: PROTOCOL_VERSION + 7 };

/** Frames of a faulty peer or of one with another version, sent after it has connected. */
export const ATTACKS = {
  'a hello and a change': () => [GREETING, encodeFrame('data', Buffer.of(FRAME.changes, 0))],
  'bytes that are not frames': () => [GREETING, Buffer.from([0, 0, 0, 1, 77]), randomBytes(5000)],
  'a frame of random bytes': () => [GREETING, encodeFrame('data', randomBytes(5000))],
  'a frame of 1 GiB': () => [GREETING, encodeHead('data', 2 ** 30), randomBytes(100_000)],
  'another link version': () => [hello({ version: 99, oldest: 99 })],
  'another sync version': () => [
    GREETING,
    encodeFrame(
      'data',
      Buffer.concat([Buffer.of(FRAME.control), Buffer.from(JSON.stringify(sessionHello))]),
    ),
  ],
} satisfies { [name: string]: () => Uint8Array[] };

let connections = 0;
subscribe('net.server.socket', () => {
  connections += 1;
});

const commands = {
  start: () => {
    host = createHost({
      dataDir,
      createLog: (masker) => createLog(dataDir, masker),
      links: { host: '0.0.0.0' },
    });
    key = host.folder.identity as OpenKey;
    return { deviceId: key.deviceId };
  },
  stop: async () => {
    await host?.close();
    host = undefined;
    return null;
  },
  call: async ({ name, input }: { name: string; input: unknown }) => {
    const result = await host?.dispatch(name, input);
    if (!result?.ok)
      throw new Error(`${name}: ${result?.error.message ?? 'the host is not running'}`);
    return result.output;
  },
  publish: ({ count, prefix }: { count: number; prefix: string }) => {
    publish(host as Host, count, prefix);
    return null;
  },
  rss: () => process.memoryUsage().rss / 2 ** 20,
  connections: () => connections,
  attack,
};

/** Ten events per transaction. */
function publish({ stores, folder }: Host, count: number, prefix: string): void {
  const topic = stores.topics.ensure('workflow-1', 'mail');
  for (let made = 0; made < count; made += 10) {
    folder.db.write(() => {
      for (let n = made; n < made + 10; n += 1) {
        const payload = { n, text: randomBytes(300).toString('hex') };
        stores.events.publish({ topic, messageId: `${prefix}-${n}`, title: `Mail ${n}`, payload });
      }
    });
  }
}

async function attack({ address, port, key: whose, sends }: Attack): Promise<string> {
  // A second connection sends random bytes instead of TLS.
  connectTcp(port, address, function (this: { end(bytes: Uint8Array): void }) {
    this.end(randomBytes(1000));
  }).on('error', () => undefined);
  const shown = whose === 'own' ? (key as OpenKey) : (makeDeviceKey(dataDir, undefined) as OpenKey);
  const socket = connectTls({
    host: address,
    port,
    rejectUnauthorized: false,
    ALPNProtocols: [PROTOCOLS.link],
    key: shown.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: shown.certificate,
  });
  const decoder = new FrameDecoder(2 ** 24);
  return new Promise((resolve) => {
    socket.on('error', ({ message }) => resolve(`broken: ${message}`));
    socket.on('close', () => resolve('closed without a reason'));
    socket.on('secureConnect', () => {
      for (const bytes of ATTACKS[sends]()) socket.write(bytes);
    });
    socket.on('data', (bytes) => {
      decoder.push(bytes);
      for (let next = decoder.take(); next !== null; next = decoder.take()) {
        if (typeof next === 'string') return resolve(`invalid frame: ${next}`);
        if (next.kind !== 'goodbye') continue;
        resolve((JSON.parse(Buffer.from(next.content).toString()) as { name: string }).name);
        socket.destroy();
      }
    });
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, name, input } = JSON.parse(line) as {
    id: number;
    name: keyof typeof commands;
    input: never;
  };
  void (async () => {
    try {
      const value = await commands[name](input);
      process.stdout.write(`${JSON.stringify({ id, value })}\n`);
    } catch (error) {
      process.stdout.write(`${JSON.stringify({ id, error: String(error) })}\n`);
    }
  })();
}
await host?.close();
