// The two sides of a comparison: our stores, and better-sqlite3 used by hand. Each has a database
// file of its own with the same schema and the same pragmas.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { createSystemIds, systemClock } from '#main/host/system.ts';
import {
  CACHE_KIB,
  Database,
  loadCrsqlite,
  LONG_LOG_BYTES,
  type OpenOptions,
} from '#main/store/database.ts';
import { migrateFile } from '#main/store/migrate.ts';
import { createStores, type Stores } from '#main/store/stores.ts';

export interface OpenedStores extends Stores {
  readonly db: Database;
}

export function openStores(path: string, options: OpenOptions = {}): OpenedStores {
  const db = new Database(path, options);
  const ids = createSystemIds(systemClock);
  return {
    ...createStores({ db, clock: systemClock, ids, deviceId: 'device-a', spaceId: 'space-1' }),
    db,
  };
}

export function openByHand(path: string): SQLite.Database {
  const sqlite = new SQLite(path);
  loadCrsqlite(sqlite);
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma('foreign_keys = OFF');
  sqlite.pragma('temp_store = MEMORY');
  sqlite.pragma(`cache_size = -${CACHE_KIB}`);
  const pageBytes = Number(sqlite.pragma('page_size', { simple: true }));
  sqlite.pragma(`wal_autocheckpoint = ${LONG_LOG_BYTES / pageBytes}`);
  return sqlite;
}

export interface BothSides {
  readonly stores: OpenedStores;
  readonly sqlite: SQLite.Database;
}

/** Two fresh databases, gone when `use` returns. */
export function withBothSides<Result>(use: (sides: BothSides) => Result): Result {
  return withTempFolder((folder) => {
    const paths = { ours: join(folder, 'ours.db'), byHand: join(folder, 'by-hand.db') };
    for (const path of Object.values(paths)) migrateFile(path);
    const stores = openStores(paths.ours);
    const sqlite = openByHand(paths.byHand);
    try {
      return use({ stores, sqlite });
    } finally {
      stores.db.close();
      sqlite.prepare('SELECT crsql_finalize()').get();
      sqlite.close();
    }
  });
}

/**
 * The comparison is fair only while both sides write rows alike: same members, same order. When a
 * store comes to write more, this says that the hand-written side must do so, too.
 */
export function expectSameShape({ stores, sqlite }: BothSides, select: string): void {
  const ours = shapeOf(stores.db.get(select));
  const byHand = shapeOf(sqlite.prepare(select).get());
  if (ours === byHand) return;
  throw new Error(`The store writes ${ours}, by hand it is ${byHand}: bring them together.`);
}

/** A row whose columns hold JSON, with every value but the nesting taken out. */
function shapeOf(row: unknown): string {
  const columns = Object.entries(row ?? {}).map(([name, text]) => [
    name,
    JSON.parse(String(text)) as unknown,
  ]);
  return JSON.stringify(columns, (_, value: unknown) => (value instanceof Object ? value : '_'));
}

export function withTempFolder<Result>(use: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
