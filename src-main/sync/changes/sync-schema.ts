// The synced tables and columns of this database, read from the database itself.
import type { Database } from '#main/store/sqlite/database.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { FEED_TABLES, type FeedTable } from '#shared/api/feed.ts';
import { sha256Hex } from '#shared/ids.ts';

export type StorageType = 'TEXT' | 'INTEGER' | 'REAL' | 'BLOB';

export interface SyncColumn {
  readonly name: string;
  readonly type: StorageType;
  readonly isNullable: boolean;
  readonly isJson: boolean;
}

export interface SyncTable {
  readonly name: string;
  readonly key: readonly StorageType[];
  readonly columns: ReadonlyMap<string, SyncColumn>;
  /** Its rows are never deleted. */
  readonly isPermanent: boolean;
  /** Its rows can be archived, which deletes them for good. */
  readonly isArchived: boolean;
  /** Its name in the change feed, which identifies rows by the first part of the key. */
  readonly feed: FeedTable | null;
}

export interface SyncSchema {
  /** The level of the migrations. It only says which of two devices is older. */
  readonly version: number;
  /**
   * Fingerprint of everything that change sets depend on: tables, keys, columns and their checks.
   * Devices with the same fingerprint sync, even if their migrations differ in indexes, local tables
   * or triggers. `PROTOCOL_VERSION` covers what this can't see.
   */
  readonly fingerprint: string;
  readonly tables: ReadonlyMap<string, SyncTable>;
}

export function readSyncSchema(db: Database): SyncSchema {
  const tables = syncedTables(db).map((name) => [name, readTable(db, name)] as const);
  return {
    version: Number(db.pragma('user_version')),
    fingerprint: fingerprintOf(tables.map(([, table]) => table)),
    tables: new Map(tables),
  };
}

function fingerprintOf(tables: readonly SyncTable[]): string {
  const described = tables
    .map(({ name, key, columns, isPermanent, isArchived }) => ({
      name,
      key,
      isPermanent,
      isArchived,
      columns: [...columns.values()].toSorted(byName),
    }))
    .toSorted(byName);
  return sha256Hex(JSON.stringify(described));
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function readTable(db: Database, table: string): SyncTable {
  const columns = db.all<{ name: string; type: StorageType; notnull: number; pk: number }>(
    // Excludes generated columns, which are not synced.
    'SELECT name, type, "notnull", pk FROM pragma_table_info(?)',
    table,
  );
  const sql = db.value<string>(`SELECT sql FROM sqlite_schema WHERE name = ?`, table) ?? '';
  const deleteTrigger = db.value<string>(
    `SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?
       AND sql LIKE '%BEFORE DELETE ON%RAISE(ABORT%'`,
    table,
  );
  const isArchived = deleteTrigger?.includes('FROM archiving') ?? false;
  return {
    name: table,
    key: columns
      .filter(({ pk }) => pk > 0)
      .toSorted((a, b) => a.pk - b.pk)
      .map(({ type }) => type),
    columns: new Map(
      columns
        .filter(({ pk }) => pk === 0)
        .map(({ name, type, notnull }) => [
          name,
          { name, type, isNullable: notnull === 0, isJson: sql.includes(`json_valid(${name})`) },
        ]),
    ),
    isPermanent: deleteTrigger !== undefined && !isArchived,
    isArchived,
    feed: FEED_TABLES.find((known) => known === table) ?? null,
  };
}
