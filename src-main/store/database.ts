// One SQLite connection with cr-sqlite, prepared statements kept, and write transactions that
// take the write lock at once, so that what they read cannot change before they write.
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { ChangeLog } from '#main/store/change-log.ts';
import { DiskSync, type SyncFile } from '#main/store/disk-sync.ts';
import { requireCrsqlite } from '#main/store/extension.ts';
import { KeptTables, type Kept } from '#main/store/kept.ts';
import { BUSY_TIMEOUT_MS } from '#shared/limits.ts';

type Statement = SQLite.Statement<unknown[]>;

/**
 * Of a file that is new; an older one keeps what it has. Half of SQLite's own: a run changes little on
 * many pages, and each is written whole, to the log and to the file. Measured against 4096: 3 to 5 %
 * less time for a run alone, 2 to 5 % for 64 workflows at once; 1024 takes as long as 4096, or longer.
 */
const PAGE_BYTES = 2048;

/** The log goes back into the file when it has grown by so much; see `foldLongLog`. */
export const LONG_LOG_BYTES = 7 * 1024 * 1024;

/** After so many pieces of work: to look how long it is takes as long as a small commit. */
const WORKS_TO_A_LOOK = 64;

/** How often to look whether the disk has taken what was folded. */
const FOLD_LOOK_MS = 1;

/**
 * A quarter of what better-sqlite3 sets. SQLite looks at every page that it keeps whenever a commit
 * has split one in the middle of an index, as more than one in four do here; what it keeps less is in
 * the system's own cache. Measured against 16 MB: 3 to 4 % less time for a run alone.
 */
export const CACHE_KIB = 4000;

export interface OpenOptions {
  readonly readonly?: boolean;
  readonly busyTimeoutMs?: number;
  /** How the log is put on disk; another way in tests of what a slow disk does. */
  readonly syncFile?: SyncFile;
}

export class Database {
  readonly path: string;
  readonly changes = new ChangeLog();
  readonly #sqlite: SQLite.Database;
  readonly #disk: DiskSync;
  readonly #statements = new Map<string, Statement>();
  readonly #values = new Map<string, Statement>();
  readonly #kept = new KeptTables();
  /** Counts what other connections commit. */
  #othersWrote: unknown;
  #isWriting = false;
  #isDurable = false;
  /** All that was committed is on disk, or on its way there. */
  #isSynced = true;
  readonly #longLogPages: number;
  #worksSinceLook = 0;
  #beforeCommit: () => void = () => undefined;

  constructor(path: string, options: OpenOptions = {}) {
    this.path = path;
    const { syncFile } = options;
    this.#disk = new DiskSync(`${path}-wal`, {
      ...(syncFile && { syncFile }),
      makeGood: () => this.#foldWholeLog(),
    });
    gatherLogWrites();
    this.#sqlite = new SQLite(path, {
      readonly: options.readonly ?? false,
      timeout: options.busyTimeoutMs ?? BUSY_TIMEOUT_MS,
    });
    try {
      // Before the extension writes its own tables: then it is too late.
      if (!options.readonly) this.#sqlite.pragma(`page_size = ${PAGE_BYTES}`);
      loadCrsqlite(this.#sqlite);
      if (!options.readonly) this.#sqlite.pragma('journal_mode = WAL');
      this.#sqlite.pragma('synchronous = NORMAL');
      // A local foreign key to a synced table makes merges throw; we have none and want none.
      this.#sqlite.pragma('foreign_keys = OFF');
      // Savepoints and statements keep what they may have to put back: in memory, not in a file.
      this.#sqlite.pragma('temp_store = MEMORY');
      this.#sqlite.pragma(`cache_size = -${CACHE_KIB}`);
      this.#longLogPages = LONG_LOG_BYTES / Number(this.pragma('page_size'));
      // Where nobody folds it in time, SQLite does, with the commit.
      this.#sqlite.pragma(`wal_autocheckpoint = ${2 * this.#longLogPages}`);
    } catch (error) {
      this.#sqlite.close();
      throw error;
    }
  }

  get isOpen(): boolean {
    return this.#sqlite.open;
  }

  prepare(sql: string): Statement {
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    const statement = this.#sqlite.prepare<unknown[]>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /** The row, or undefined. `Row` is what the statement selects; the caller knows it. */
  get<Row>(sql: string, ...params: unknown[]): Row | undefined {
    return this.prepare(sql).get(...params) as Row | undefined;
  }

  /** The first column of the row, or undefined. */
  value<Value>(sql: string, ...params: unknown[]): Value | undefined {
    return this.#plucked(sql).get(...params) as Value | undefined;
  }

  all<Row>(sql: string, ...params: unknown[]): Row[] {
    return this.prepare(sql).all(...params) as Row[];
  }

  /** Returns the number of rows changed: the caller of a guarded update must look at it. */
  run(sql: string, ...params: unknown[]): number {
    const { changes } = this.prepare(sql).run(...params);
    if (changes > 0) this.#kept.wrote(sql);
    return changes;
  }

  /** For migrations: several statements, nothing returned. */
  exec(sql: string): void {
    this.#sqlite.exec(sql);
    this.#kept.forgetAll();
  }

  /**
   * For what is read with every step and hardly ever changes: kept until something writes to the
   * table. Inside a write it is as good as read.
   */
  keep<Value>(table: string): Kept<Value> {
    return this.#kept.keep(table);
  }

  /** Rows were changed past `run`. */
  forgetKept(): void {
    this.#kept.forgetAll();
  }

  pragma(text: string): unknown {
    return this.#sqlite.pragma(text, { simple: true });
  }

  /** All or nothing. Inside another write it is a savepoint of it. */
  write<Result>(work: () => Result): Result {
    return this.#isWriting ? this.#savepoint(work) : this.#transaction(work);
  }

  /**
   * As `write`, but inside another write without a savepoint of its own (measured: 3 to 13 µs).
   * Only for work whose one change is its last statement: SQLite undoes a failed statement itself.
   */
  writeOne<Result>(work: () => Result): Result {
    return this.#isWriting ? work() : this.#transaction(work);
  }

  /**
   * As `write`, and on disk before it returns: a power cut after it cannot take it back. It may be
   * part of another durable write, whose fate it then shares, never of an ordinary one.
   */
  writeDurably<Result>(work: () => Result): Result {
    if (this.#isDurable) return work();
    this.#expectOwnCommit();
    this.#disk.makeGood();
    this.#sqlite.pragma('synchronous = FULL');
    try {
      const result = this.#durably(work);
      this.#isSynced = true;
      return result;
    } catch (error) {
      if (isSyncFailure(error)) this.#disk.failed();
      throw error;
    } finally {
      this.#sqlite.pragma('synchronous = NORMAL');
    }
  }

  /**
   * As `writeDurably`, but the thread goes on while the disk works: committed when it returns, and
   * on disk when `onDisk` resolves. Nobody may act on it before that. `isAlone`: see `DiskSync`.
   */
  writeThenSync<Result>(
    work: () => Result,
    isAlone = false,
  ): {
    readonly result: Result;
    readonly onDisk: Promise<void>;
  } {
    this.#expectOwnCommit();
    const result = this.#durably(work);
    this.#isSynced = true;
    return { result, onDisk: this.#disk.sync(isAlone) };
  }

  /**
   * Puts on disk what was committed and nobody waited for. The system would do so by itself, within
   * half a minute: in a power cut before that, an effect whose answer came would be unknown again.
   */
  syncInPassing(): void {
    if (this.#isSynced || !this.isOpen) return;
    this.#isSynced = true;
    this.#disk.syncInPassing();
  }

  /**
   * Brings a log that has grown long back into the file, where it has: resolves when the disk has it.
   * To copy it takes a few milliseconds, while everything waits, so it is for whoever can choose a
   * moment between commits. The disk may take ten times as long, and that holds up only those who wait
   * for it. Nobody must: what is committed meanwhile is as safe as ever, and makes the log longer, which
   * begins anew only where all of it is in the file.
   * `works`: how many pieces of work the next commit has.
   */
  foldLongLog(works: number): Promise<void> | null {
    this.#worksSinceLook += works;
    if (this.#worksSinceLook < WORKS_TO_A_LOOK) return null;
    this.#worksSinceLook = 0;
    try {
      if (this.#logPages() < this.#longLogPages) return null;
      this.pragma('fold_sync = later');
      this.get('PRAGMA wal_checkpoint(PASSIVE)');
      return this.#foldedOnDisk();
    } catch (error) {
      if (isSyncFailure(error)) this.#disk.failed();
      // Closed, or no room for the file to grow: what is in the log is safe there, and the next
      // commit finds out for itself.
      return null;
    }
  }

  /** Asked again and again: the thread that waits for the disk has no way to call back. */
  async #foldedOnDisk(): Promise<void> {
    let state: unknown;
    do {
      await sleep(FOLD_LOOK_MS);
      state = this.isOpen && this.pragma('fold_sync');
    } while (state === 'working');
    if (state === 'failed') this.#disk.failed();
  }

  /** All of it, and it begins anew: what the disk may have lost of it is then in the file, and synced. */
  #foldWholeLog(): void {
    const { busy } = this.get('PRAGMA wal_checkpoint(TRUNCATE)') as { readonly busy: number };
    if (busy === 0) return;
    throw new Error(
      'The disk failed, and what it may have lost cannot be written again while another program reads the database. It is tried again with the next write.',
    );
  }

  /** How much of the log is not in the file yet. */
  #logPages(): number {
    const { log, checkpointed } = this.get('PRAGMA wal_checkpoint(NOOP)') as {
      readonly log: number;
      readonly checkpointed: number;
    };
    return log - checkpointed;
  }

  /** What must be true of every commit is made so as its last part. Replaces the one before. */
  beforeCommit(work: () => void): void {
    this.#beforeCommit = work;
  }

  close(): void {
    if (!this.#sqlite.open) return;
    this.#statements.clear();
    this.#values.clear();
    this.#disk.close();
    // Without it cr-sqlite keeps descriptors and the -wal file open.
    this.#sqlite.prepare('SELECT crsql_finalize()').get();
    this.#sqlite.close();
  }

  #expectOwnCommit(): void {
    if (!this.#isWriting) return;
    throw new Error('A durable write cannot be part of another write: its commit must be its own.');
  }

  #durably<Result>(work: () => Result): Result {
    this.#isDurable = true;
    try {
      return this.#transaction(work);
    } finally {
      this.#isDurable = false;
    }
  }

  #plucked(sql: string): Statement {
    const kept = this.#values.get(sql);
    if (kept) return kept;
    const statement = this.#sqlite.prepare<unknown[]>(sql).pluck();
    this.#values.set(sql, statement);
    return statement;
  }

  #transaction<Result>(work: () => Result): Result {
    this.prepare('BEGIN IMMEDIATE').run();
    this.#isWriting = true;
    try {
      this.#heedOthers();
      const result = work();
      this.#beforeCommit();
      this.prepare('COMMIT').run();
      this.#isWriting = false;
      this.#isSynced = false;
      this.changes.committed();
      return result;
    } catch (error) {
      // Some errors (a full disk, a failed crsql_as_crr) have rolled back already.
      if (this.#sqlite.inTransaction) this.prepare('ROLLBACK').run();
      this.#kept.forgetAll();
      this.#isWriting = false;
      this.changes.rolledBack();
      throw error;
    }
  }

  /** Nobody else can write from here on; what they wrote before must be seen. */
  #heedOthers(): void {
    const count = this.value('PRAGMA data_version');
    if (count === this.#othersWrote) return;
    this.#othersWrote = count;
    this.#kept.forgetAll();
  }

  #savepoint<Result>(work: () => Result): Result {
    this.prepare('SAVEPOINT nested').run();
    try {
      const result = work();
      this.prepare('RELEASE nested').run();
      return result;
    } catch (error) {
      this.#kept.forgetAll();
      if (this.#sqlite.inTransaction) {
        this.prepare('ROLLBACK TO nested').run();
        this.prepare('RELEASE nested').run();
      }
      throw error;
    }
  }
}

export function loadCrsqlite(sqlite: SQLite.Database): void {
  loadEntryPoint(sqlite, 'sqlite3_crsqlite_init');
  loadOurPart(sqlite, 'sqlite3_holdfastjson_init');
}

let isGathering = false;

/** From here on what is opened writes its log in a few calls to the system (scripts/crsqlite/log-file.c). */
function gatherLogWrites(): void {
  if (isGathering) return;
  isGathering = true;
  const sqlite = new SQLite(':memory:');
  loadOurPart(sqlite, 'sqlite3_holdfastlog_init');
  sqlite.close();
}

/** What is ours beside cr-sqlite only makes things faster, and upstream's own release has none of it. */
function loadOurPart(sqlite: SQLite.Database, name: string): void {
  try {
    loadEntryPoint(sqlite, name);
  } catch {
    // Where more than that is wrong, cr-sqlite does not load either, and says so.
  }
}

/** The types know one parameter; the entry point must be named, as a file may have any name. */
function loadEntryPoint(
  sqlite: { loadExtension(path: string, entryPoint?: string): unknown },
  name: string,
): void {
  sqlite.loadExtension(requireCrsqlite(), name);
}

/** A write that the database itself refused: one of our triggers or checks said no. */
export function isRefused(error: unknown): error is Error {
  return error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT');
}

export function isDamaged(error: unknown): boolean {
  return (
    error instanceof SQLite.SqliteError &&
    (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB')
  );
}

/** No room left: the write was rolled back, and works again once there is. */
export function isDiskFull(error: unknown): boolean {
  return (
    error instanceof SQLite.SqliteError &&
    (error.code === 'SQLITE_FULL' || error.code === 'SQLITE_IOERR_WRITE')
  );
}

/** The disk did not take what was written. */
function isSyncFailure(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code === 'SQLITE_IOERR_FSYNC';
}

export function isBusy(error: unknown): boolean {
  return error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_BUSY');
}
