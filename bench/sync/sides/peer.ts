// One device in a process of its own: `peer.ts give DB` listens, `peer.ts take DB PORT` connects.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { beSide } from '../../engine/side.ts';
import { openStores } from '../../store/opened.ts';
import { tlsLink, type CountedLink } from '../tls-link.ts';
import { createSilentLog } from '#main/host/log.ts';
import { systemClock } from '#main/host/system.ts';
import { Session } from '#main/sync/session/session.ts';
import { createSyncContext } from '#main/sync/session/sync-context.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '#test/tools/http/test-certificate.ts';

export interface Synced {
  readonly ms: number;
  readonly changes: number;
  readonly bytes: number;
}

export interface PeerAnswers {
  readonly port: number;
  readonly sync: Synced;
  readonly rss: number;
  /** The longest that the event loop was kept, in milliseconds: at most, and 99 of 100 times. */
  readonly delay: { readonly max: number; readonly p99: number };
  /** Bytes in so many seconds without a write. */
  readonly idle: number;
}

const IDLE_MS = 3000;

const [role, path, port] = process.argv.slice(2) as ['give' | 'take', string, string];
const ids = role === 'give' ? { us: 'giver', peer: 'taker' } : { us: 'taker', peer: 'giver' };
const stores = openStores(path);
stores.lineages.open();
const context = createSyncContext({
  db: stores.db,
  clock: systemClock,
  deviceId: ids.us,
  spaceId: 'space-1',
  stores,
  log: createSilentLog(),
});
const credentials = { key: TEST_KEY, cert: TEST_CERTIFICATE, minVersion: 'TLSv1.3' } as const;
const delay = monitorEventLoopDelay({ resolution: 1 });
let link: CountedLink | undefined;

const server = createServer(credentials, (socket) => void syncOver(socket));
if (role === 'give') await once(server.listen(0, '127.0.0.1'), 'listening');

beSide(
  {
    port: () => (server.address() as AddressInfo).port,
    sync: async () => {
      const socket = connect({
        host: '127.0.0.1',
        port: Number(port),
        ca: TEST_CERTIFICATE,
        minVersion: 'TLSv1.3',
      });
      await once(socket, 'secureConnect');
      return syncOver(socket);
    },
    rss: () => process.resourceUsage().maxRSS / 1024,
    delay: () => ({ max: delay.max / 1e6, p99: delay.percentile(99) / 1e6 }),
    idle: async () => {
      const before = link?.bytes() ?? 0;
      await sleep(IDLE_MS);
      return (link?.bytes() ?? 0) - before;
    },
  },
  () => {
    link?.close({ name: 'done', message: 'The bench is over.' });
    server.close();
    stores.db.close();
  },
);

function syncOver(socket: TLSSocket): Promise<Synced> {
  const startedAt = performance.now();
  const opened = tlsLink(socket, ids.peer);
  link = opened;
  delay.enable();
  return new Promise((resolve, reject) => {
    const session = new Session(context, opened, (state) => {
      if (state.name === 'ended' && role === 'take') reject(new Error(state.end.message));
      if (state.name !== 'live') return;
      delay.disable();
      const ms = performance.now() - startedAt;
      resolve({ ms, changes: state.incoming, bytes: opened.bytes() });
    });
    session.start();
  });
}
