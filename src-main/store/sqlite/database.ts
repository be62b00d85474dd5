// One SQLite connection: statements, transactions and durability. A write transaction takes the
// write lock at its start, so its reads stay valid until it commits.
import { existsSync, realpathSync } from 'node:fs';
import type SQLite from 'better-sqlite3';
import { ChangeLog } from '#main/store/sqlite/change-log.ts';
import { openConnection, type ConnectionOptions } from '#main/store/sqlite/connection.ts';
import { isFsyncFailure } from '#main/store/sqlite/sqlite-errors.ts';
import { StatementCache, type Statement } from '#main/store/sqlite/statement-cache.ts';
import { TableCaches, type TableCache } from '#main/store/sqlite/table-cache.ts';
import { WalFsync, type FsyncFile } from '#main/store/sqlite/wal-fsync.ts';

export interface OpenOptions extends ConnectionOptions {
  /** Replaces fdatasync of the WAL, for tests of slow and failing disks. */
  readonly fsync?: FsyncFile;
}

export class Database {
  readonly path: string;
  readonly changes = new ChangeLog();
  readonly #sqlite: SQLite.Database;
  readonly #statements: StatementCache;
  readonly #wal: WalFsync;
  readonly #caches = new TableCaches();
  /** `PRAGMA data_version` changes when another connection commits. */
  #dataVersion: unknown;
  #isWriting = false;
  #isDurable = false;
  /**
   * Commits so far, those that an fsync covers that has at least begun, and those on disk. A process
   * that was killed leaves commits in the WAL that were never fsynced: they count as the first.
   */
  #commits = 1;
  #fsyncing = 0;
  #onDisk = 0;
  #beforeCommit: () => void = () => undefined;
  /** The value of `wal_autocheckpoint` while there are no checkpoints. */
  #checkpointPages: unknown;

  constructor(path: string, options: OpenOptions = {}) {
    const { fsync } = options;
    this.#sqlite = openConnection(path, options);
    // SQLite resolves symbolic links, and the WAL is beside the real file.
    this.path = existsSync(path) ? realpathSync(path) : path;
    this.#wal = new WalFsync(`${this.path}-wal`, {
      ...(fsync && { fsync }),
      onFailure: () => this.#stopCheckpoints(),
      recover: () => this.#writeWalAgain(),
    });
    if (!options.readonly) this.#wal.open();
    this.#statements = new StatementCache(this.#sqlite);
  }

  get isOpen(): boolean {
    return this.#sqlite.open;
  }

  prepare(sql: string): Statement {
    return this.#statements.rows(sql);
  }

  /** The first row, or undefined. The caller states the row's type. */
  get<Row>(sql: string, ...params: unknown[]): Row | undefined {
    return this.prepare(sql).get(...params) as Row | undefined;
  }

  /** The first column of the first row, or undefined. */
  value<Value>(sql: string, ...params: unknown[]): Value | undefined {
    return this.#statements.values(sql).get(...params) as Value | undefined;
  }

  all<Row>(sql: string, ...params: unknown[]): Row[] {
    return this.prepare(sql).all(...params) as Row[];
  }

  /** The first column of every row. */
  values<Value>(sql: string, ...params: unknown[]): Value[] {
    return this.#statements.values(sql).all(...params) as Value[];
  }

  /** Returns the number of changed rows, which the caller of a guarded update must check. */
  run(sql: string, ...params: unknown[]): number {
    const { changes } = this.prepare(sql).run(...params);
    if (changes > 0) this.#caches.invalidate(sql);
    return changes;
  }

  /** For migrations: several statements without results. */
  exec(sql: string): void {
    this.#sqlite.exec(sql);
    this.#caches.invalidateAll();
  }

  /**
   * A cache for rows that every step reads and that rarely change. Inside a write it is never stale;
   * outside, it can miss a commit of another connection.
   */
  cache<Value>(table: string): TableCache<Value> {
    return this.#caches.create(table);
  }

  /** Call after changing rows without `run`. */
  invalidateCaches(): void {
    this.#caches.invalidateAll();
  }

  pragma(text: string): unknown {
    return this.#sqlite.pragma(text, { simple: true });
  }

  /** Commits all of `work` or nothing. Inside another write it is a savepoint. */
  write<Result>(work: () => Result): Result {
    return this.#isWriting ? this.#savepoint(work) : this.#transaction(work);
  }

  /**
   * As `write`, without a savepoint inside another write (saves 3 to 13 µs). Only for work whose
   * single change is its last statement: SQLite undoes a failed statement itself.
   */
  writeOne<Result>(work: () => Result): Result {
    return this.#isWriting ? work() : this.#transaction(work);
  }

  /**
   * As `write`, and on disk when it returns. It may be part of another durable write, never of an
   * ordinary one, whose commit is not fsynced.
   */
  writeDurably<Result>(work: () => Result): Result {
    if (this.#isDurable) return work();
    this.#expectOwnCommit();
    this.#wal.recover();
    this.#sqlite.pragma('synchronous = FULL');
    try {
      const result = this.#durably(work);
      this.#fsyncing = this.#commits;
      this.#onDisk = this.#commits;
      return result;
    } catch (error) {
      if (isFsyncFailure(error)) this.#wal.markFailed();
      throw error;
    } finally {
      this.#sqlite.pragma('synchronous = NORMAL');
    }
  }

  /**
   * As `writeDurably`, without blocking the event loop: committed when it returns, on disk when
   * `onDisk` resolves. Do not act on the result before that. `isAlone`: see `WalFsync.fsync`.
   */
  writeThenFsync<Result>(
    work: () => Result,
    isAlone = false,
  ): {
    readonly result: Result;
    readonly onDisk: Promise<void>;
  } {
    this.#expectOwnCommit();
    const result = this.#durably(work);
    return { result, onDisk: this.#fsyncAll(isAlone) };
  }

  /**
   * Resolves when everything committed before the call is on disk. Call before another device, a
   * file or a caller learns of a commit: a power cut must not take back what they rely on.
   */
  async fsync(): Promise<void> {
    if (this.#onDisk < this.#commits) await this.#fsyncAll(false);
  }

  /**
   * As `fsync`, without a waiter: if it fails, the next durable write reports it. The kernel would
   * write ordinary commits within half a minute; a power cut before that would make effects whose
   * response had arrived unknown again.
   */
  fsyncInBackground(): void {
    if (this.#fsyncing === this.#commits || !this.isOpen) return;
    this.#wal.fsyncInBackground(this.#fsyncAll(false));
  }

  /** Runs at the end of every transaction, before its commit. Replaces the previous hook. */
  beforeCommit(work: () => void): void {
    this.#beforeCommit = work;
  }

  close(): void {
    if (!this.#sqlite.open) return;
    this.#statements.clear();
    this.#wal.close();
    // Otherwise cr-sqlite's own statements keep the connection and the -wal file open.
    this.#sqlite.prepare('SELECT crsql_finalize()').get();
    this.#sqlite.close();
  }

  /**
   * A checkpoint that is cut off leaves the database file half written, and is repeated from the WAL.
   * With a WAL that the disk may have lost, that would leave a damaged database.
   */
  #stopCheckpoints(): void {
    this.#checkpointPages ??= this.pragma('wal_autocheckpoint');
    this.pragma('wal_autocheckpoint = 0');
  }

  /** Writes the WAL again, copies it to the database file, fsyncs the file and empties the WAL. */
  #writeWalAgain(): void {
    this.#withoutWriters(() => this.#wal.rewrite());
    const { busy } = this.get('PRAGMA wal_checkpoint(TRUNCATE)') as { readonly busy: number };
    if (busy === 0) {
      this.pragma(`wal_autocheckpoint = ${Number(this.#checkpointPages)}`);
      this.#checkpointPages = undefined;
      return;
    }
    throw new Error(
      "The disk failed to store recent changes, and Holdfast can't write them again while another program reads the database. They are committed, but a power cut could lose them. Holdfast retries with the next write.",
    );
  }

  #withoutWriters(work: () => void): void {
    this.prepare('BEGIN IMMEDIATE').run();
    try {
      work();
    } finally {
      this.prepare('ROLLBACK').run();
    }
  }

  async #fsyncAll(isAlone: boolean): Promise<void> {
    const commits = this.#commits;
    this.#fsyncing = commits;
    await this.#wal.fsync(isAlone);
    this.#onDisk = Math.max(this.#onDisk, commits);
  }

  #expectOwnCommit(): void {
    if (!this.#isWriting) return;
    throw new Error("A durable write can't be part of another write: its commit must be its own.");
  }

  #durably<Result>(work: () => Result): Result {
    this.#isDurable = true;
    try {
      return this.#transaction(work);
    } finally {
      this.#isDurable = false;
    }
  }

  #transaction<Result>(work: () => Result): Result {
    this.prepare('BEGIN IMMEDIATE').run();
    this.#isWriting = true;
    try {
      this.#invalidateAfterOthers();
      const result = work();
      this.#beforeCommit();
      this.prepare('COMMIT').run();
      this.#isWriting = false;
      this.#commits += 1;
      this.changes.committed();
      return result;
    } catch (error) {
      // Some errors (a full disk, a failed crsql_as_crr) have already rolled back.
      if (this.#sqlite.inTransaction) this.prepare('ROLLBACK').run();
      this.#caches.invalidateAll();
      this.#isWriting = false;
      this.changes.rolledBack();
      throw error;
    }
  }

  /** With the write lock held, no other connection can commit until this transaction ends. */
  #invalidateAfterOthers(): void {
    const version = this.value('PRAGMA data_version');
    if (version === this.#dataVersion) return;
    this.#dataVersion = version;
    this.#caches.invalidateAll();
  }

  #savepoint<Result>(work: () => Result): Result {
    this.prepare('SAVEPOINT nested').run();
    try {
      const result = work();
      this.prepare('RELEASE nested').run();
      return result;
    } catch (error) {
      this.#caches.invalidateAll();
      if (this.#sqlite.inTransaction) {
        this.prepare('ROLLBACK TO nested').run();
        this.prepare('RELEASE nested').run();
      }
      throw error;
    }
  }
}
