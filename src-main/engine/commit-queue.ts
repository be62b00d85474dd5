// Group commit: what several workflows have ready in one turn of the event loop shares one
// transaction, a savepoint each, and one sync to disk covers all of it. Nothing waits for company,
// and only what must be on disk waits for the disk.
import type { Database } from '#main/store/database.ts';

/** What shares a transaction holds up everything else: so many take a few milliseconds. */
export const MAX_GROUP = 16;

interface Item {
  readonly work: () => unknown;
  readonly isDurable: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

type Settled = { readonly result: unknown } | { readonly error: unknown };

export class CommitQueue {
  readonly #db: Database;
  readonly #items: Item[] = [];
  readonly #onBatch: (size: number) => void;

  constructor(db: Database, onBatch: (size: number) => void = () => undefined) {
    this.#db = db;
    this.#onBatch = onBatch;
  }

  /** Resolves once committed; rejects with what `work` threw, and then nothing of it is kept. */
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
    if (this.#items.length > 0) setImmediate(() => this.#flush());
    try {
      this.#write(items);
    } catch (error) {
      for (const item of items) item.reject(error);
    }
  }

  #write(items: readonly Item[]): void {
    const isAlone = items.length === 1;
    const all = (): Settled[] => items.map(({ work }) => this.#attempt(work, isAlone));
    if (!items.some(({ isDurable }) => isDurable)) {
      const settled = this.#db.write(all);
      // Only now: nobody may act on what could still be rolled back.
      for (const [index, item] of items.entries()) settle(item, settled[index] as Settled);
      return;
    }
    const { result: settled, onDisk } = this.#db.writeThenSync(all);
    for (const [index, item] of items.entries()) {
      if (!item.isDurable) settle(item, settled[index] as Settled);
      else onDisk.then(() => settle(item, settled[index] as Settled), item.reject);
    }
  }

  #attempt(work: () => unknown, isAlone: boolean): Settled {
    // Nobody else's work to keep: what it throws may undo the whole transaction.
    if (isAlone) return { result: work() };
    try {
      return { result: this.#db.write(work) };
    } catch (error) {
      return { error };
    }
  }
}

function settle(item: Item, settled: Settled): void {
  if ('error' in settled) item.reject(settled.error);
  else item.resolve(settled.result as never);
}
