// Which rows a transaction changed. Listeners hear of them after the commit, never before, and
// not at all when it was rolled back.
import type { FeedTable } from '#shared/api/feed.ts';

export type Changes = ReadonlyMap<FeedTable, ReadonlySet<string>>;
export type ChangeListener = (changes: Changes) => void;

export class ChangeLog {
  readonly #listeners = new Set<ChangeListener>();
  #pending = new Map<FeedTable, Set<string>>();

  note(table: FeedTable, id: string): void {
    const ids = this.#pending.get(table);
    if (ids) ids.add(id);
    else this.#pending.set(table, new Set([id]));
  }

  committed(): void {
    if (this.#pending.size === 0) return;
    const changes = this.#pending;
    this.#pending = new Map();
    for (const listener of this.#listeners) listener(changes);
  }

  rolledBack(): void {
    this.#pending.clear();
  }

  /** A change that no transaction made: a file that grew. */
  tell(table: FeedTable, id: string): void {
    for (const listener of this.#listeners) listener(new Map([[table, new Set([id])]]));
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
