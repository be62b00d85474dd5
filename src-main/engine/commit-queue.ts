// Group commit: what several workflows have ready in one turn of the event loop shares one
// transaction, a savepoint each, and one sync to disk covers all of it. Nothing waits for company.
import type { Database } from '#main/store/database.ts';

interface Item {
  readonly work: () => unknown;
  readonly isDurable: boolean;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

type Settled = { readonly result: unknown } | { readonly error: unknown };

export class CommitQueue {
  readonly #db: Database;
  #items: Item[] = [];

  constructor(db: Database) {
    this.#db = db;
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
    const items = this.#items;
    this.#items = [];
    try {
      const settled = this.#write(items);
      // Only now: nobody may act on what could still be rolled back.
      for (const [index, item] of items.entries()) settle(item, settled[index] as Settled);
    } catch (error) {
      for (const item of items) item.reject(error);
    }
  }

  #write(items: readonly Item[]): Settled[] {
    const all = (): Settled[] => items.map(({ work }) => this.#attempt(work));
    return items.some(({ isDurable }) => isDurable)
      ? this.#db.writeDurably(all)
      : this.#db.write(all);
  }

  #attempt(work: () => unknown): Settled {
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
