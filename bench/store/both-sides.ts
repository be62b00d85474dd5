// The two sides of a comparison: our stores and plain better-sqlite3, each with its own database
// file, the same schema and the same pragmas.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type SQLite from 'better-sqlite3';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { openConnection } from '#main/store/sqlite/connection.ts';
import { Database, type OpenOptions } from '#main/store/sqlite/database.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
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

export function openBaseline(path: string): SQLite.Database {
  return openConnection(path);
}

/** cr-sqlite keeps statements open until it is finalized, and SQLite cannot close before that. */
export function closeBaseline(sqlite: SQLite.Database): void {
  sqlite.prepare('SELECT crsql_finalize()').get();
  sqlite.close();
}

export interface BothSides {
  readonly stores: OpenedStores;
  readonly sqlite: SQLite.Database;
}

/** Two fresh databases, deleted when `use` returns. */
export function withBothSides<Result>(use: (sides: BothSides) => Result): Result {
  return withTempFolder((folder) => {
    const paths = { ours: join(folder, 'ours.db'), baseline: join(folder, 'baseline.db') };
    for (const path of Object.values(paths)) migrateFile(path);
    const stores = openStores(paths.ours);
    const sqlite = openBaseline(paths.baseline);
    try {
      return use({ stores, sqlite });
    } finally {
      stores.db.close();
      closeBaseline(sqlite);
    }
  });
}

/**
 * Throws when the two sides write different JSON members or a different order of them: then the
 * baseline must follow the store, or the comparison is unfair.
 */
export function expectSameShape({ stores, sqlite }: BothSides, select: string): void {
  const ours = shapeOf(stores.db.get(select));
  const baseline = shapeOf(sqlite.prepare(select).get());
  if (ours === baseline) return;
  throw new Error(`The store writes ${ours}, the baseline ${baseline}. Update the baseline.`);
}

/** The structure of a row of JSON columns, without its values. */
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
