// The disk of a device. An fsync takes virtual time and can fail, and the disk can be full. A power cut
// leaves what had been fsynced and a random part of what was written since.
import { closeSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import type { Database } from '#main/store/sqlite/database.ts';
import { isDiskFull } from '#main/store/sqlite/sqlite-errors.ts';
import type { FsyncFile } from '#main/store/sqlite/wal-fsync.ts';
import type { Clock } from '#shared/clock.ts';
import { afterPowerCut, onlySynced, type DatabaseFiles } from '#test/simulation/torn-files.ts';
import {
  NOTHING_WRITTEN,
  openWalIndex,
  readWalPosition,
  type WalPosition,
} from '#test/simulation/wal-position.ts';
import type { Random } from '#test/support/seeded-random.ts';

export interface DiskOptions {
  readonly path: string;
  readonly random: Random;
  /** Whether an fsync takes time; otherwise it ends at once. */
  readonly isTimed: boolean;
  /** Called when an fsync begins; the result, when everything written before is on disk. */
  readonly onFsync: (db: Database) => () => void;
}

/** Commits on a full disk that need more room than is left. */
const REFUSED_PERCENT = 80;

/** SQLite copies the WAL to the database after this number of pages. Small, so that it often does. */
const CHECKPOINT_PAGES = [40, 200, 1000];
const SYNCHRONOUS_FULL = 2;

export class SimulatedDisk {
  readonly #options: DiskOptions;
  #db: Database | undefined;
  #index: number | undefined;
  #synced = NOTHING_WRITTEN;
  /** Where the WAL ended when the last process ended. */
  #left = NOTHING_WRITTEN;
  /** The end of what the kernel dropped after a failed fsync; a later fsync doesn't cover it. */
  #droppedFrom: WalPosition | undefined;
  readonly #underWay = new Set<(error: Error) => void>();
  #failures = 0;
  #isFull = false;
  #isLying = false;

  constructor(options: DiskOptions) {
    this.#options = options;
  }

  /** The fsync of one process, whose timers are those of `clock`. */
  fsyncFor(clock: Clock): FsyncFile {
    return (done) => {
      const written = this.#position();
      const nowOnDisk = this.#db && this.#options.onFsync(this.#db);
      const end = (error: Error | null): void => {
        if (!this.#underWay.delete(end)) return;
        if (!error) this.#cover(written);
        if (!error) nowOnDisk?.();
        done(error);
      };
      this.#underWay.add(end);
      const carryOut = (): void => end(this.#failure(written));
      if (this.#options.isTimed) clock.wakeAt(clock.now() + this.#duration(), carryOut);
      else queueMicrotask(carryOut);
    };
  }

  opened(db: Database): void {
    this.#db = db;
    db.pragma(`wal_autocheckpoint = ${this.#options.random.pick(CHECKPOINT_PAGES)}`);
    this.#refuseCommitsOf(db);
    db.changes.onCommit(() => {
      if (db.pragma('synchronous') !== SYNCHRONOUS_FULL) return;
      this.#cover(this.#position());
      this.#options.onFsync(db)();
    });
  }

  failNext(count: number): void {
    this.#failures = count;
  }

  setFull(isFull: boolean): void {
    this.#isFull = isFull;
  }

  /** For tests of the check: fsyncs are confirmed and not carried out, and a cut takes everything since. */
  lie(): void {
    this.#isLying = true;
    this.#db?.pragma('wal_autocheckpoint = 0');
  }

  /** The process ends. What it wrote is in the page cache and survives. */
  endProcess(): void {
    this.#close(this.files());
  }

  cutPower(random: Random): void {
    const { db, wal } = this.files();
    const { salt, frames, copied, pageBytes } = this.#db ? this.#position() : this.#left;
    const covered = this.#synced.salt === salt ? this.#synced.frames : 0;
    const written = { db, wal, frames, pageBytes, synced: Math.max(copied, covered) };
    const cut = this.#isLying ? onlySynced : afterPowerCut;
    this.#close(wal.length === 0 ? { db, wal } : cut(written, random));
    // What is left now is on disk.
    this.#left = NOTHING_WRITTEN;
    this.#isLying = false;
    this.#synced = NOTHING_WRITTEN;
    this.#droppedFrom = undefined;
  }

  /** The files as the running process sees them. */
  files(): DatabaseFiles {
    const { path } = this.#options;
    const wal = existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : Buffer.alloc(0);
    return { db: readFileSync(path), wal };
  }

  /** Replaces the files of a device that is not running. */
  restore({ db, wal }: DatabaseFiles): void {
    const { path } = this.#options;
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    writeFileSync(path, db);
    if (wal.length > 0) writeFileSync(`${path}-wal`, wal);
  }

  /** Closing a database copies its WAL and deletes it, which a process that ends does not do. */
  #close(files: DatabaseFiles): void {
    if (this.#db) this.#left = this.#position();
    for (const end of this.#underWay) end(new Error('The simulated process ended.'));
    this.#db?.close();
    this.#db = undefined;
    if (this.#index !== undefined) closeSync(this.#index);
    this.#index = undefined;
    this.restore(files);
  }

  #cover(written: WalPosition): void {
    const { salt } = this.#position();
    if (this.#isLying || written.salt !== salt) return;
    const before = this.#synced.salt === salt ? this.#synced.frames : 0;
    const limit = this.#droppedFrom?.salt === salt ? this.#droppedFrom.frames : Infinity;
    this.#synced = { ...written, frames: Math.max(before, Math.min(written.frames, limit)) };
  }

  #failure(written: WalPosition): Error | null {
    if (this.#failures === 0) return null;
    this.#failures -= 1;
    if (this.#droppedFrom?.salt !== written.salt) {
      const frames = this.#synced.salt === written.salt ? this.#synced.frames : 0;
      this.#droppedFrom = { ...written, frames };
    }
    return Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  }

  /** As SQLite does when the WAL can't grow. The transaction is rolled back. */
  #refuseCommitsOf(db: Database): void {
    const prepare = db.prepare.bind(db);
    db.prepare = (sql) => {
      if (sql !== 'COMMIT' || !this.#isFull || !this.#options.random.chance(REFUSED_PERCENT)) {
        return prepare(sql);
      }
      const code = this.#options.random.pick(['SQLITE_FULL', 'SQLITE_IOERR_WRITE']);
      throw new SQLite.SqliteError('database or disk is full', code);
    };
  }

  /** Mostly a few milliseconds, sometimes seconds. */
  #duration(): number {
    const { random } = this.#options;
    const limit = random.chance(90) ? 8 : random.pick([100, 3000]);
    return 1 + random.int(limit);
  }

  #position(): WalPosition {
    this.#index ??= openWalIndex(this.#options.path);
    return this.#index === undefined ? NOTHING_WRITTEN : readWalPosition(this.#index);
  }
}

export function isDiskFailure(error: unknown): boolean {
  return isDiskFull(error) || (error instanceof Error && 'code' in error && error.code === 'EIO');
}
