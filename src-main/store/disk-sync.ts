// Puts the log of the database on disk without holding up the thread. What SQLite does itself with
// `synchronous = FULL`, one call to the system after each commit, is done here by the system's own
// threads: the same file, the same call, after the same commit.
import { close, fdatasync, openSync } from 'node:fs';

/** Calls back when all that was written to the file before the call is on disk. */
export type SyncFile = (done: (error: Error | null) => void) => void;

export class DiskSync {
  readonly #path: string;
  readonly #syncFile: SyncFile;
  #file: number | undefined;
  /** The one that the disk works on: what is written now may be too late for it. */
  #current: Promise<void> | undefined;
  /** The one that begins after it, shared by all who ask meanwhile. */
  #next: Promise<void> | undefined;

  constructor(path: string, syncFile?: SyncFile) {
    this.#path = path;
    this.#syncFile = syncFile ?? ((done) => fdatasync(this.#open(), done));
  }

  /** Resolves when all that was committed before the call is on disk. */
  sync(): Promise<void> {
    if (!this.#current) return this.#start();
    this.#next ??= this.#current.catch(() => undefined).then(() => this.#start());
    return this.#next;
  }

  /** Not before the last sync has ended: the file must not go away under it. */
  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    void Promise.allSettled([this.#current, this.#next]).then(() => close(file));
  }

  #start(): Promise<void> {
    this.#next = undefined;
    this.#current = new Promise<void>((resolve, reject) => {
      this.#syncFile((error) => {
        this.#current = undefined;
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
