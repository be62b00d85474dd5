// Fsyncs the WAL on libuv's thread pool, so that the event loop runs while the disk works. With
// `synchronous = NORMAL` a commit writes the WAL without fsync; one fdatasync of the -wal file after
// it is what SQLite does itself with `synchronous = FULL`. On macOS libuv's fdatasync is F_FULLFSYNC,
// which is what SQLite does with `fullfsync = ON`.
//
// After a failed fsync the kernel may drop the dirty pages and report success the next time. So a
// failure is not only reported to its waiters: nothing counts as durable until `recover` succeeds.
import {
  close,
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  openSync,
  readSync,
  realpathSync,
  writeSync,
} from 'node:fs';

/** Calls back when everything written to the file before the call is on disk. */
export type FsyncFile = (done: (error: Error | null) => void) => void;

export interface WalFsyncOptions {
  readonly fsync: FsyncFile;
  readonly fsyncSync?: () => void;
  /** The disk may have lost a part of the WAL: nothing may rely on it until `recover` succeeds. */
  readonly onFailure?: () => void;
  /** After a failure: writes again what the disk may have lost, or throws. */
  readonly recover?: () => void;
  readonly now?: () => number;
}

/** Fsyncs the WAL of a database that another connection, or another process, writes. */
export function fsyncWal(database: string): void {
  // SQLite resolves symbolic links, and the WAL is beside the real file.
  const wal = `${existsSync(database) ? realpathSync(database) : database}-wal`;
  if (!existsSync(wal)) return;
  const file = openSync(wal, 'r+');
  try {
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The WAL is read and written again in pieces of this size. */
const REWRITE_BYTES = 1 << 20;

/** Above this duration of the previous fsync, a blocking one would delay the event loop too much. */
const MAX_BLOCKING_MS = 1;

export class WalFsync {
  readonly #path: string;
  readonly #options: WalFsyncOptions;
  readonly #now: () => number;
  #file: number | undefined;
  #lastMs = Infinity;
  #hasFailed = false;
  /** In progress. It may miss what is written from now on. */
  #current: Promise<void> | undefined;
  /** Starts after `#current`, shared by all callers until then. */
  #next: Promise<void> | undefined;
  /** The error of a background fsync, for the next caller that waits. */
  #unreported: Error | undefined;

  constructor(path: string, { fsync, ...options }: Partial<WalFsyncOptions> = {}) {
    this.#path = path;
    this.#options = fsync
      ? { fsync, ...options }
      : {
          fsync: (done) => fdatasync(this.#open(), done),
          fsyncSync: () => fdatasyncSync(this.#open()),
          ...options,
        };
    this.#now = this.#options.now ?? (() => performance.now());
  }

  /**
   * Opens the WAL if it exists. SQLite ignores a failed fsync of an automatic checkpoint, and Linux
   * reports it to each descriptor that was open at the time: ours must be one of them.
   */
  open(): void {
    if (existsSync(this.#path)) this.#open();
  }

  /**
   * Resolves when everything committed before the call is on disk. `isAlone`: the caller knows of no
   * other work for the event loop, so a fast disk may be waited for in place, which is quicker than
   * a round trip through the thread pool.
   */
  fsync(isAlone = false): Promise<void> {
    if (this.#unreported) return this.#report(this.#unreported);
    const { fsyncSync } = this.#options;
    const mayBlock = isAlone && !this.#hasFailed && this.#lastMs < MAX_BLOCKING_MS;
    if (!this.#current && mayBlock && fsyncSync) return this.#block(fsyncSync);
    if (!this.#current) return this.#start();
    this.#next ??= this.#current.catch(() => undefined).then(() => this.#start());
    return this.#next;
  }

  /** Nobody waits for this fsync: the next caller of `fsync` gets its error. */
  fsyncInBackground(fsync = this.fsync()): void {
    fsync.catch((error: Error) => {
      this.#unreported = error;
    });
  }

  /** An fsync of the file failed: ours, or SQLite's own. */
  markFailed(): void {
    this.#hasFailed = true;
    this.#options.onFailure?.();
  }

  /**
   * Writes the file's own bytes again and fsyncs it. Only what is written again is certain to reach
   * the disk. Nothing else may write to the file meanwhile.
   */
  rewrite(): void {
    const file = this.#open();
    const bytes = Buffer.alloc(REWRITE_BYTES);
    for (let at = 0; ;) {
      const length = readSync(file, bytes, 0, bytes.length, at);
      if (length === 0) break;
      for (let done = 0; done < length;)
        done += writeSync(file, bytes, done, length - done, at + done);
      at += length;
    }
    fdatasyncSync(file);
  }

  /** Call before anyone else fsyncs the file. Throws while an earlier failure is not recovered. */
  recover(): void {
    if (!this.#hasFailed) return;
    this.#options.recover?.();
    this.#hasFailed = false;
  }

  /** Closes the descriptor after the last fsync has ended. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    void Promise.allSettled([this.#current, this.#next]).then(() => close(file));
  }

  /** The lost write precedes the caller's in the same WAL, so the caller's is not durable either. */
  async #report(error: Error): Promise<never> {
    this.#unreported = undefined;
    throw error;
  }

  async #block(fsyncSync: () => void): Promise<void> {
    const began = this.#now();
    try {
      fsyncSync();
    } catch (error) {
      this.markFailed();
      throw error;
    }
    this.#lastMs = this.#now() - began;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    try {
      this.recover();
    } catch (error) {
      return Promise.reject(error);
    }
    const began = this.#now();
    this.#current = new Promise<void>((resolve, reject) => {
      this.#options.fsync((error) => {
        this.#lastMs = this.#now() - began;
        this.#current = undefined;
        if (error) this.markFailed();
        if (error) reject(error);
        else resolve();
      });
    });
    return this.#current;
  }

  /**
   * Opened for writing, because Windows fsyncs only such files. Closing this descriptor is safe:
   * SQLite has its POSIX locks on the database and -shm files, never on the -wal file.
   */
  #open(): number {
    this.#file ??= openSync(this.#path, 'r+');
    return this.#file;
  }
}
