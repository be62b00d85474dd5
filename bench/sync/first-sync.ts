// First sync of a large history, against raw extract and apply; then the latency of single rows and
// the traffic of an idle link. Two processes with real links on loopback.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSide, type SideProcess } from '../engine/side.ts';
import { amount, median, percentile, perSecond, type Figure } from '../harness.ts';
import { makeHistory } from './event-history.ts';
import { makeKeys } from './device-keys.ts';
import type { PeerAnswers } from './sides/sync-peer.ts';
import type { RawAnswers } from './sides/raw-sync.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';

const EVENTS = Number(process.env['BENCH_SYNC_EVENTS'] ?? 100_000);
const ROUNDS = 3;
const MIN_OF_RAW = 0.6;
const MAX_RSS_MB = 300;
const MAX_IDLE_BYTES_PER_MINUTE = 1000;
const MAX_VISIBLE_MS = 250;

interface Round {
  readonly rate: number;
  readonly rawRate: number;
  readonly bytesPerChange: number;
  readonly rss: number;
  readonly delay: number;
  /** Milliseconds from the write on one device until the row is visible on the other. */
  readonly visible: readonly number[];
  readonly bytesPerLiveChange: number;
}

type Peer = SideProcess<PeerAnswers>;
type Pair = readonly [sender: Peer, receiver: Peer];

export async function firstSync(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-sync-'));
  try {
    const source = join(folder, 'source.db');
    const empty = join(folder, 'empty.db');
    const changes = makeHistory(source, EVENTS);
    migrateFile(empty);
    const rounds: Round[] = [];
    const pairs: Pair[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const target = (name: string): string => {
        const path = join(folder, `${name}-${round}.db`);
        copyFileSync(empty, path);
        return path;
      };
      const sending = target('sending');
      copyFileSync(source, sending);
      const keys = join(folder, `keys-${round}`);
      makeKeys(keys);
      const pair = await startPair(sending, target('receiving'), keys);
      pairs.push(pair);
      const raw = (): Promise<number> => rawOnce(source, target('raw'), changes);
      // The order alternates, so that what one side leaves behind does not favour the other.
      const rawFirst = round % 2 === 1 ? await raw() : null;
      const synced = await syncOnce(pair, changes);
      rounds.push({ ...synced, rawRate: rawFirst ?? (await raw()) });
    }
    // All pairs at the same time, for a whole minute, so that periodic messages are included.
    const idle = await Promise.all(pairs.map(([sender]) => sender.ask('idle')));
    for (const side of pairs.flat()) await side.end();
    return [
      ...figures(rounds),
      amount('idle_bytes_per_minute', median(idle), 'B', MAX_IDLE_BYTES_PER_MINUTE),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startPair(source: string, target: string, keys: string): Promise<Pair> {
  const file = new URL('./sides/sync-peer.ts', import.meta.url);
  const sender = await startSide<PeerAnswers>(file, ['send', source, keys]);
  const port = await sender.ask('port');
  return [sender, await startSide<PeerAnswers>(file, ['receive', target, keys, String(port)])];
}

async function syncOnce(
  [sender, receiver]: Pair,
  changes: number,
): Promise<Omit<Round, 'rawRate'>> {
  const synced = await receiver.ask('sync');
  expectAll(synced.changes, changes);
  const bytes = await sender.ask('bytes');
  const both = [sender, receiver];
  const rss = Math.max(...(await Promise.all(both.map((side) => side.ask('rss')))));
  const delays = await Promise.all(both.map((side) => side.ask('delay')));
  const { visible, bytes: liveBytes } = await syncLiveRows(sender, receiver);
  return {
    rate: (synced.changes / synced.ms) * 1000,
    bytesPerChange: bytes / synced.changes,
    rss,
    delay: Math.max(...delays.map(({ p99 }) => p99)),
    visible,
    bytesPerLiveChange: liveBytes / visible.length,
  };
}

/** Writes rows one by one on one device, and waits until each is visible on the other. */
async function syncLiveRows(
  sender: Peer,
  receiver: Peer,
): Promise<{ readonly visible: number[]; readonly bytes: number }> {
  const before = await sender.ask('bytes');
  const written = await sender.ask('write');
  let seen = new Map(await receiver.ask('seen'));
  while (written.some(([id]) => !seen.has(id))) seen = new Map(await receiver.ask('seen'));
  const visible = written.map(([id, at]) => ((seen.get(id) as number) - at) / 1000);
  return { visible, bytes: (await sender.ask('bytes')) - before };
}

async function rawOnce(source: string, target: string, changes: number): Promise<number> {
  const file = new URL('./sides/raw-sync.ts', import.meta.url);
  const raw = await startSide<RawAnswers>(file, [source, target]);
  const synced = await raw.ask('sync');
  await raw.end();
  expectAll(synced.changes, changes);
  return (synced.changes / synced.ms) * 1000;
}

function expectAll(received: number, sent: number): void {
  if (received !== sent) throw new Error(`Received ${received} of ${sent} changes.`);
}

function figures(rounds: readonly Round[]): Figure[] {
  const medianOf = (figure: Exclude<keyof Round, 'visible'>): number =>
    median(rounds.map((round) => round[figure]));
  const visible = (percent: number): number =>
    median(rounds.map((round) => percentile(round.visible, percent)));
  return [
    perSecond('first_sync_changes_per_s', medianOf('rate'), medianOf('rawRate'), MIN_OF_RAW),
    amount('bytes_per_change', medianOf('bytesPerChange'), 'B', null),
    amount('first_sync_rss', medianOf('rss'), 'MB', MAX_RSS_MB),
    amount('first_sync_slice_p99', medianOf('delay'), 'ms', null),
    amount('row_visible_p50', visible(50), 'ms', null),
    amount('row_visible_p95', visible(95), 'ms', MAX_VISIBLE_MS),
    amount('bytes_per_live_row', medianOf('bytesPerLiveChange'), 'B', null),
  ];
}
