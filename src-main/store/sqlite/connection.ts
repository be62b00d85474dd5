// Opens a SQLite connection with cr-sqlite and the pragmas that every connection of ours uses.
import SQLite from 'better-sqlite3';
import { requireCrsqlite } from '#main/store/sqlite/crsqlite-path.ts';
import { BUSY_TIMEOUT_MS } from '#shared/limits.ts';

/**
 * For new files; existing files keep their page size. Half of SQLite's default, because a run changes
 * a few bytes on many pages and each page is written whole, to the WAL and to the file. Measured
 * against 4096: 3 to 5 % less time for a single run; 1024 is no faster than 4096.
 */
const PAGE_BYTES = 2048;

/**
 * A quarter of better-sqlite3's default. SQLite scans its whole page cache when a commit splits a
 * page in the middle of an index, which happens in more than one of four commits here. Measured
 * against 16 MB: 3 to 4 % less time for a single run.
 */
const CACHE_KIB = 4000;

export interface ConnectionOptions {
  readonly readonly?: boolean;
  readonly busyTimeoutMs?: number;
}

export function openConnection(path: string, options: ConnectionOptions = {}): SQLite.Database {
  const readonly = options.readonly ?? false;
  const sqlite = new SQLite(path, { readonly, timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS });
  try {
    // Must precede cr-sqlite, whose tables fix the page size of a new file.
    if (!readonly) sqlite.pragma(`page_size = ${PAGE_BYTES}`);
    loadCrsqlite(sqlite);
    if (!readonly) sqlite.pragma('journal_mode = WAL');
    sqlite.pragma('synchronous = NORMAL');
    // On macOS fsync leaves data in the disk's cache; these make SQLite use F_FULLFSYNC, as libuv's
    // fsync and fdatasync do. They have no effect elsewhere.
    sqlite.pragma('fullfsync = ON');
    sqlite.pragma('checkpoint_fullfsync = ON');
    // A foreign key to a synced table would make merges throw.
    sqlite.pragma('foreign_keys = OFF');
    // Keeps statement journals in memory instead of in a temporary file.
    sqlite.pragma('temp_store = MEMORY');
    sqlite.pragma(`cache_size = -${CACHE_KIB}`);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/** The entry point is named because SQLite would derive it from the file name; the types lack it. */
export function loadCrsqlite(sqlite: {
  loadExtension(path: string, entryPoint?: string): unknown;
}): void {
  sqlite.loadExtension(requireCrsqlite(), 'sqlite3_crsqlite_init');
}
