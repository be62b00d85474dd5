// One device in a process of its own, with real links: `peer.ts give DB KEYS` listens,
// `peer.ts take DB KEYS PORT` dials.
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
  /** Until both have everything. */
  readonly sync: { readonly ms: number; readonly changes: number };
  /** On the wire, both ways, TLS included. */
  readonly bytes: number;
  readonly rss: number;
  /** The longest that the event loop was kept, in milliseconds: at most, and 99 of 100 times. */
  readonly delay: { readonly max: number; readonly p99: number };
  /** Bytes in a minute without a write. */
  readonly idle: number;
  /** Rows written one by one, and when, in microseconds of the machine's own clock. */
  readonly write: readonly (readonly [id: string, at: number])[];
  /** When each row could be seen here. */
  readonly seen: readonly (readonly [id: string, at: number])[];
}

const IDLE_MS = 60_000;
const LIVE_WRITES = 100;
const BETWEEN_WRITES_MS = 25;

const [role, path, keysFolder, port] = process.argv.slice(2) as [
  'give' | 'take',
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
  addresses: role === 'take' ? [`127.0.0.1:${port}`] : [],
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

// Below TLS, and only on the side that listens: there Node shows the bare socket.
const sockets: Socket[] = [];
subscribe('net.server.socket', (message) => {
  sockets.push((message as { socket: Socket }).socket);
});
const bytesSoFar = (): number =>
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

const release = role === 'give' ? await network.holdDoor() : () => undefined;
if (role === 'give') network.refresh();

serveSide(
  {
    port: () => network.port,
    sync: () => {
      startedAt = performance.now();
      if (role === 'take') network.start();
      return synced.promise;
    },
    bytes: bytesSoFar,
    rss: () => process.resourceUsage().maxRSS / 1024,
    delay: () => ({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 }),
    idle: async () => {
      const before = bytesSoFar();
      await sleep(IDLE_MS);
      return bytesSoFar() - before;
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
    // Not in step with anything that gathers for so many milliseconds.
    await sleep(BETWEEN_WRITES_MS * (1 + Math.random()));
  }
  return written;
}

/** Microseconds of a clock that all processes share. */
function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}
