// The first sync of a large history: two devices over TLS on loopback, against raw extract and apply.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSide } from '../engine/side.ts';
import { amount, median, perSecond, type Figure } from '../harness.ts';
import { makeHistory } from './history.ts';
import type { PeerAnswers } from './sides/peer.ts';
import type { RawAnswers } from './sides/raw.ts';
import { migrateFile } from '#main/store/migrate.ts';

const EVENTS = Number(process.env['BENCH_SYNC_EVENTS'] ?? 100_000);
const ROUNDS = 3;
const MIN_OF_RAW = 0.6;
const MAX_RSS_MB = 300;
const MAX_IDLE_BYTES_PER_MINUTE = 1000;
const IDLES_PER_MINUTE = 20;

interface Round {
  readonly rate: number;
  readonly rawRate: number;
  readonly bytesPerChange: number;
  readonly rss: number;
  readonly delay: number;
  readonly idle: number;
}

export async function firstSync(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-sync-'));
  try {
    const source = join(folder, 'source.db');
    const empty = join(folder, 'empty.db');
    const changes = makeHistory(source, EVENTS);
    migrateFile(empty);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const target = (name: string): string => {
        const path = join(folder, `${name}-${round}.db`);
        copyFileSync(empty, path);
        return path;
      };
      const giving = target('giving');
      copyFileSync(source, giving);
      const synced = await syncOnce(giving, target('taking'), changes);
      rounds.push({ ...synced, rawRate: await rawOnce(source, target('raw'), changes) });
    }
    return figures(rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function syncOnce(
  source: string,
  target: string,
  changes: number,
): Promise<Omit<Round, 'rawRate'>> {
  const file = new URL('./sides/peer.ts', import.meta.url);
  const giver = await startSide<PeerAnswers>(file, ['give', source]);
  const port = await giver.ask('port');
  const taker = await startSide<PeerAnswers>(file, ['take', target, String(port)]);
  const synced = await taker.ask('sync');
  expectAll(synced.changes, changes);
  const idle = await taker.ask('idle');
  const both = [giver, taker];
  const rss = Math.max(...(await Promise.all(both.map((side) => side.ask('rss')))));
  const delays = await Promise.all(both.map((side) => side.ask('delay')));
  for (const side of both) await side.end();
  return {
    rate: (synced.changes / synced.ms) * 1000,
    bytesPerChange: synced.bytes / synced.changes,
    rss,
    delay: Math.max(...delays.map(({ p99 }) => p99)),
    idle: idle * IDLES_PER_MINUTE,
  };
}

async function rawOnce(source: string, target: string, changes: number): Promise<number> {
  const file = new URL('./sides/raw.ts', import.meta.url);
  const raw = await startSide<RawAnswers>(file, [source, target]);
  const synced = await raw.ask('sync');
  await raw.end();
  expectAll(synced.changes, changes);
  return (synced.changes / synced.ms) * 1000;
}

function expectAll(is: number, should: number): void {
  if (is !== should) throw new Error(`${is} changes came over, there were ${should}.`);
}

function figures(rounds: readonly Round[]): Figure[] {
  const of = (figure: keyof Round): number => median(rounds.map((round) => round[figure]));
  return [
    perSecond('first_sync_changes_per_s', of('rate'), of('rawRate'), MIN_OF_RAW),
    amount('bytes_per_change', of('bytesPerChange'), 'B', null),
    amount('first_sync_rss', of('rss'), 'MB', MAX_RSS_MB),
    amount('first_sync_slice_p99', of('delay'), 'ms', null),
    amount('idle_bytes_per_minute', of('idle'), 'B', MAX_IDLE_BYTES_PER_MINUTE),
  ];
}
