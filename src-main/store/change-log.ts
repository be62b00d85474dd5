// Which rows a transaction changed. Listeners hear of them after the commit, never before, and
// not at all when it was rolled back.
import type { FeedTable } from '#shared/api/feed.ts';

export type Changes = ReadonlyMap<FeedTable, ReadonlySet<string>>;
export type ChangeListener = (changes: Changes) => void;

export class ChangeLog {
  readonly #listeners = new Set<ChangeListener>();
  readonly #commitListeners = new Set<() => void>();
  #pending = new Map<FeedTable, Set<string>>();

  note(table: FeedTable, id: string): void {
    const ids = this.#pending.get(table);
    if (ids) ids.add(id);
    else this.#pending.set(table, new Set([id]));
  }

  committed(): void {
    if (this.#pending.size > 0) {
      const changes = this.#pending;
      this.#pending = new Map();
      for (const listener of this.#listeners) listener(changes);
    }
    for (const listener of this.#commitListeners) listener();
  }

  rolledBack(): void {
    this.#pending.clear();
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** For whoever must not miss a write, noted or not: called after each commit, with nothing. */
  onCommit(listener: () => void): () => void {
    this.#commitListeners.add(listener);
    return () => this.#commitListeners.delete(listener);
  }
}
