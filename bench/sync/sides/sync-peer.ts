// One device in its own process, with real links. `sync-peer.ts send DB KEYS` listens,
// `sync-peer.ts receive DB KEYS PORT` dials.
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveSide } from '../../engine/side.ts';
import { openStores } from '../../store/both-sides.ts';
import { readKeys } from '../device-keys.ts';
import { createSilentLog } from '#main/host/log.ts';
import { systemClock } from '#main/platform/system.ts';
import { PeerNetwork } from '#main/sync/link/peer-network.ts';
import { Session } from '#main/sync/session/session.ts';
import { createSyncContext } from '#main/sync/session/sync-context.ts';
import { eventId } from '#shared/ids.ts';

export interface PeerAnswers {
  readonly port: number;
  /** Time of the first sync, and the changes received in it. */
  readonly sync: { readonly ms: number; readonly changes: number };
  /** Sent and received on the wire so far, TLS included. */
  readonly bytes: number;
  readonly rss: number;
  /** Event loop delay during the first sync, in milliseconds. */
  readonly delay: { readonly max: number; readonly p99: number };
  /** Bytes in a minute without a write. */
  readonly idle: number;
  /** Rows written one by one, and when, in microseconds of a clock shared by all processes. */
  readonly write: readonly (readonly [id: string, at: number])[];
  /** When each row became visible on this device. */
  readonly seen: readonly (readonly [id: string, at: number])[];
}

const IDLE_MS = 60_000;
const LIVE_WRITES = 100;
const BETWEEN_WRITES_MS = 25;

const [role, path, keysFolder, port] = process.argv.slice(2) as [
  'send' | 'receive',
  string,
  string,
  string,
];
const { ours: key, theirs } = readKeys(keysFolder, role);
const stores = openStores(path);
stores.lineages.open();
stores.peers.pair({
  ...theirs,
  name: 'Other',
  addresses: role === 'receive' ? [`127.0.0.1:${port}`] : [],
  pairedBy: 'link',
});
const log = createSilentLog();
const context = createSyncContext({
  db: stores.db,
  clock: systemClock,
  deviceId: key.deviceId,
  spaceId: 'space-1',
  stores,
  log,
});
const delay = monitorEventLoopDelay({ resolution: 1 });
const network = new PeerNetwork({
  key,
  peers: stores.peers,
  clock: systemClock,
  random: Math.random,
  log,
  host: '127.0.0.1',
  port: 0,
});

// Counted below TLS, which Node allows only on the listening side.
const sockets: Socket[] = [];
subscribe('net.server.socket', (message) => {
  sockets.push((message as { socket: Socket }).socket);
});
const bytesOnWire = (): number =>
  sockets.reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0);

const synced = Promise.withResolvers<PeerAnswers['sync']>();
synced.promise.catch(() => undefined);
let startedAt = 0;
network.onLink((link) => {
  delay.enable();
  const session = new Session(context, link, (state) => {
    if (state.name === 'ended') synced.reject(new Error(state.end.message));
    if (state.name !== 'live') return;
    delay.disable();
    synced.resolve({ ms: performance.now() - startedAt, changes: state.incoming });
  });
  session.start();
});

const seen = new Map<string, number>();
stores.db.changes.subscribe((changes) => {
  for (const id of changes.get('events') ?? []) if (!seen.has(id)) seen.set(id, now());
});

const release = role === 'send' ? await network.keepListening() : () => undefined;
if (role === 'send') network.refresh();

serveSide(
  {
    port: () => network.port,
    sync: () => {
      startedAt = performance.now();
      if (role === 'receive') network.start();
      return synced.promise;
    },
    bytes: bytesOnWire,
    rss: () => process.resourceUsage().maxRSS / 1024,
    delay: () => ({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 }),
    idle: async () => {
      const before = bytesOnWire();
      await sleep(IDLE_MS);
      return bytesOnWire() - before;
    },
    write: writeOneByOne,
    seen: () => [...seen],
  },
  async () => {
    release();
    await network.stop();
    stores.db.close();
  },
);

async function writeOneByOne(): Promise<PeerAnswers['write']> {
  const topic = stores.topics.ensure('workflow-1', 'live');
  const written: [string, number][] = [];
  for (let n = 0; n < LIVE_WRITES; n += 1) {
    const at = now();
    const title = `Live ${n}`;
    stores.events.publish({ topic, messageId: title, title, payload: { n } });
    written.push([eventId(topic.id, title), at]);
    // A random pause, so that writes do not align with the batching interval of the sender.
    await sleep(BETWEEN_WRITES_MS * (1 + Math.random()));
  }
  return written;
}

/** Microseconds of a clock that all processes share. */
function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
