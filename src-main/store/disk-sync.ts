// Puts the log of the database on disk without holding up the thread. What SQLite does itself with
// `synchronous = FULL`, one call to the system after each commit, is done here by the system's own
// threads: the same file, the same call, after the same commit. Only where nobody else has anything
// to do meanwhile, and the disk is fast, the thread waits for it: that is sooner than being woken.
//
// When the disk fails, a system may take what it could not write for written and say so the next time.
// So a failure is not only told to those who waited: nothing counts as on disk before it was made good.
import { close, fdatasync, fdatasyncSync, openSync } from 'node:fs';

/** Calls back when all that was written to the file before the call is on disk. */
export type SyncFile = (done: (error: Error | null) => void) => void;

/** How the file is put on disk: by others, or by the thread itself, where it may. */
export interface Disk {
  readonly syncFile: SyncFile;
  readonly syncNow?: () => void;
  /** After a failure: puts on disk in another way what it may have lost, or throws. */
  readonly makeGood?: () => void;
  /** In milliseconds, by which the disk is called fast or slow. */
  readonly now?: () => number;
}

/** A disk that took longer the last time is not waited for: nothing else could go on meanwhile. */
const FAST_MS = 1;

export class DiskSync {
  readonly #path: string;
  readonly #disk: Disk;
  readonly #now: () => number;
  #file: number | undefined;
  #lastMs = Infinity;
  #hasFailed = false;
  /** The one that the disk works on: what is written now may be too late for it. */
  #current: Promise<void> | undefined;
  /** The one that begins after it, shared by all who ask meanwhile. */
  #next: Promise<void> | undefined;
  /** Of a sync that nobody waited for. */
  #untold: Error | undefined;

  constructor(path: string, { syncFile, ...disk }: Partial<Disk> = {}) {
    this.#path = path;
    this.#disk = syncFile
      ? { syncFile, ...disk }
      : {
          syncFile: (done) => fdatasync(this.#open(), done),
          syncNow: () => fdatasyncSync(this.#open()),
          ...disk,
        };
    this.#now = this.#disk.now ?? (() => performance.now());
  }

  /**
   * Resolves when all that was committed before the call is on disk. `isAlone`: who asks knows of
   * nobody who could use the thread while the disk works.
   */
  sync(isAlone = false): Promise<void> {
    if (this.#untold) return this.#tell(this.#untold);
    const { syncNow } = this.#disk;
    const mayWait = isAlone && !this.#hasFailed && this.#lastMs < FAST_MS;
    if (!this.#current && mayWait && syncNow) return this.#wait(syncNow);
    if (!this.#current) return this.#start();
    this.#next ??= this.#current.catch(() => undefined).then(() => this.#start());
    return this.#next;
  }

  /** As `sync`, but nobody waits for it: should the disk fail, whoever is next to wait is told. */
  syncInPassing(): void {
    this.sync().catch((error: Error) => {
      this.#untold = error;
    });
  }

  /** Of a sync of the same file that others made. */
  failed(): void {
    this.#hasFailed = true;
  }

  /** Before the file is synced again, by whomever: throws where what was lost is still to be made good. */
  makeGood(): void {
    if (!this.#hasFailed) return;
    this.#disk.makeGood?.();
    this.#hasFailed = false;
  }

  /** Not before the last sync has ended: the file must not go away under it. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    void Promise.allSettled([this.#current, this.#next]).then(() => close(file));
  }

  /** What that sync should have put on disk comes before what is asked for now, in the same log. */
  async #tell(error: Error): Promise<never> {
    this.#untold = undefined;
    throw error;
  }

  async #wait(syncNow: () => void): Promise<void> {
    const began = this.#now();
    this.#hasFailed = true;
    syncNow();
    this.#hasFailed = false;
    this.#lastMs = this.#now() - began;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    try {
      this.makeGood();
    } catch (error) {
      return Promise.reject(error);
    }
    const began = this.#now();
    this.#current = new Promise<void>((resolve, reject) => {
      this.#disk.syncFile((error) => {
        this.#lastMs = this.#now() - began;
        this.#current = undefined;
        if (error) this.#hasFailed = true;
        if (error) reject(error);
        else resolve();
      });
    });
    return this.#current;
  }

  /** For writing: Windows syncs no file that was opened for reading only. SQLite holds no lock on
   * its log, so a handle of ours can be closed without one being lost. */
  #open(): number {
    this.#file ??= openSync(this.#path, 'r+');
    return this.#file;
  }
}
