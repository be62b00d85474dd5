// Group commit: writes submitted in one turn of the event loop share one transaction and one fsync.
// No write waits for others to join, and only durable writes wait for the fsync.
import type { Database } from '#main/store/sqlite/database.ts';

/**
 * A transaction blocks the event loop; one of this size takes a few milliseconds. Measured with 64
 * workflows against groups of 16: 7 to 16 % more runs per second while the database is small, because
 * shared pages are written once. Groups of 64 add 5 % and delays of 18 ms.
 */
export const MAX_GROUP = 32;

interface Item {
  readonly work: () => unknown;
  readonly isDurable: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

export class CommitQueue {
  readonly #db: Database;
  readonly #items: Item[] = [];
  readonly #onBatch: (size: number) => void;

  constructor(db: Database, onBatch: (size: number) => void = () => undefined) {
    this.#db = db;
    this.#onBatch = onBatch;
  }

  /**
   * Resolves once committed; rejects with what `work` threw, after rolling it back. `work` must only
   * write to the database: it may run a second time after its writes were rolled back.
   */
  commit<Result>(work: () => Result): Promise<Result> {
    return this.#submit(work, false);
  }

  /** As `commit`, and on disk when it resolves. */
  commitDurably<Result>(work: () => Result): Promise<Result> {
    return this.#submit(work, true);
  }

  #submit<Result>(work: () => Result, isDurable: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#items.length === 0) setImmediate(() => this.#flush());
      this.#items.push({ work, isDurable, resolve, reject });
    });
  }

  #flush(): void {
    const items = this.#items.splice(0, MAX_GROUP);
    this.#onBatch(items.length);
    const isAlone = items.length === 1 && this.#items.length === 0;
    if (this.#items.length > 0) setImmediate(() => this.#flush());
    this.#write(items, isAlone);
  }

  #write(items: readonly Item[], isAlone: boolean): void {
    /** One of the items threw, not the commit itself. */
    let hasItemThrown = false;
    const all = (): unknown[] =>
      items.map(({ work }) => {
        hasItemThrown = true;
        const result = work();
        hasItemThrown = false;
        return result;
      });
    try {
      if (items.some(({ isDurable }) => isDurable)) this.#settleDurably(items, all, isAlone);
      else settle(items, this.#db.write(all));
    } catch (error) {
      // The group was rolled back, so each item is written on its own. A savepoint per item would
      // slow down every group for the few that fail.
      if (hasItemThrown && items.length > 1) for (const item of items) this.#write([item], false);
      else for (const item of items) item.reject(error);
    }
  }

  #settleDurably(items: readonly Item[], all: () => unknown[], isAlone: boolean): void {
    const { result: results, onDisk } = this.#db.writeThenFsync(all, isAlone);
    for (const [index, item] of items.entries()) {
      const resolve = (): void => item.resolve(results[index] as never);
      if (item.isDurable) onDisk.then(resolve, item.reject);
      else resolve();
    }
  }
}

/** Call after the commit, because results may still be rolled back before it. */
function settle(items: readonly Item[], results: readonly unknown[]): void {
  for (const [index, item] of items.entries()) item.resolve(results[index] as never);
}
