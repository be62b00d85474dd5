// Which rows a transaction changed. Listeners hear of them after the commit, never before, and
// not at all when it was rolled back.
import type { FeedTable } from '#shared/api/feed.ts';

export type Changes = ReadonlyMap<FeedTable, ReadonlySet<string>>;
export type ChangeListener = (changes: Changes) => void;

export class ChangeLog {
  readonly #listeners = new Set<ChangeListener>();
  readonly #commitListeners = new Set<() => void>();
  readonly #mergeListeners = new Set<() => void>();
  #pending = new Map<FeedTable, Set<string>>();
  #isMerge = false;

  note(table: FeedTable, id: string): void {
    const ids = this.#pending.get(table);
    if (ids) ids.add(id);
    else this.#pending.set(table, new Set([id]));
  }

  /** What is being written came from another device. */
  merged(): void {
    this.#isMerge = true;
  }

  committed(): void {
    this.#tellChanges();
    for (const listener of this.#commitListeners) listener();
    if (!this.#isMerge) return;
    this.#isMerge = false;
    for (const listener of this.#mergeListeners) listener();
  }

  #tellChanges(): void {
    if (this.#pending.size === 0) return;
    const changes = this.#pending;
    this.#pending = new Map();
    for (const listener of this.#listeners) listener(changes);
  }

  rolledBack(): void {
    this.#pending.clear();
    this.#isMerge = false;
  }

  /** A change that no transaction made: a file that grew. */
  tell(table: FeedTable, id: string): void {
    for (const listener of this.#listeners) listener(new Map([[table, new Set([id])]]));
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

  /** Called after each merge: what it brought stands in `merged_rows`. */
  onMerge(listener: () => void): () => void {
    this.#mergeListeners.add(listener);
    return () => this.#mergeListeners.delete(listener);
  }
}
