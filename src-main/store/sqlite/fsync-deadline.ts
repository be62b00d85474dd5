// Fsyncs ordinary commits within a bounded time, however busy the host is. Until then a power cut
// would make an outcome that had arrived unknown again.
import type { Database } from '#main/store/sqlite/database.ts';
import type { Clock } from '#shared/clock.ts';
import { FSYNC_WITHIN_MS } from '#shared/limits.ts';

export class FsyncDeadline {
  readonly #db: Database;
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;
  #stopListening: () => void = () => undefined;

  constructor(db: Database, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  start(): void {
    this.#stopListening();
    this.#stopListening = this.#db.changes.onCommit(() => this.#schedule());
  }

  stop(): void {
    this.#stopListening();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Commits until the deadline share one fsync. */
  #schedule(): void {
    this.#cancel ??= this.#clock.wakeAt(this.#clock.now() + FSYNC_WITHIN_MS, () => {
      this.#cancel = undefined;
      this.#db.fsyncInBackground();
    });
  }
}
