// Merges frames that are already in memory, with all checks, against raw inserts of the same rows.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, rate, type Figure } from '../harness.ts';
import { closeBaseline, openBaseline, openStores, withTempFolder } from '../store/both-sides.ts';
import { makeHistory } from './event-history.ts';
import { applyRaw, EXTRACT } from './raw-exchange.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import { mergeFrame } from '#main/sync/changes/apply.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { ChangeReader } from '#main/sync/changes/change-reader.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';

const BAR = 0.8;
const EVENTS = 2000;
const SLICES_PER_ROUND = 7;

export function mergeAlone(): Figure {
  return withTempFolder((folder) => {
    const source = join(folder, 'source.db');
    const empty = join(folder, 'empty.db');
    const changes = makeHistory(source, EVENTS);
    migrateFile(empty);
    const frames = framesOf(source);
    const rows = rowsOf(source);
    let made = 0;
    const fresh = (): string => {
      const path = join(folder, `${(made += 1)}.db`);
      copyFileSync(empty, path);
      return path;
    };
    const measured = compare({
      operationsPerSlice: changes,
      slicesPerRound: SLICES_PER_ROUND,
      subject: () => {
        const stores = openStores(fresh());
        const context = {
          db: stores.db,
          schema: readSyncSchema(stores.db),
          cursors: stores.peerCursors,
          refusedRows: stores.refusedRows,
        };
        return () => {
          for (const frame of frames) mergeFrame(context, { id: 'peer', lineage: 'one' }, frame);
          stores.db.close();
        };
      },
      baseline: () => {
        const sqlite = openBaseline(fresh());
        return () => {
          applyRaw(sqlite, rows);
          closeBaseline(sqlite);
        };
      },
    });
    return rate('merge_changes_per_s', measured, BAR);
  });
}

function framesOf(path: string): Buffer[] {
  const stores = openStores(path);
  const newest = stores.lineages.version();
  const reader = new ChangeReader({
    db: stores.db,
    after: 0,
    newest: () => newest,
    skip: () => undefined,
  });
  const frames: Buffer[] = [];
  while (reader.hasMore) {
    const set = reader.next();
    if (set) frames.push(encodeChangeSet(set));
  }
  stores.db.close();
  return frames;
}

function rowsOf(path: string): unknown[][] {
  const sqlite = openBaseline(path);
  const rows = sqlite.prepare(EXTRACT).safeIntegers().raw().all() as unknown[][];
  closeBaseline(sqlite);
  return rows;
}
