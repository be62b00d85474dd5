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
  #touched = new Set<string>();
  #touchedRuns = new Set<string>();

  /** Something under an input changed: its run is looked at before this is committed. */
  touch(inputId: string | null | undefined): void {
    if (inputId !== null && inputId !== undefined) this.#touched.add(inputId);
  }

  /** As `touch`, for the inputs whose events the handler run took. */
  touchRun(handlerRunId: string): void {
    this.#touchedRuns.add(handlerRunId);
  }

  takeTouched(): {
    readonly inputs: ReadonlySet<string>;
    readonly runs: ReadonlySet<string>;
  } | null {
    if (this.#touched.size === 0 && this.#touchedRuns.size === 0) return null;
    const taken = { inputs: this.#touched, runs: this.#touchedRuns };
    this.#touched = new Set();
    this.#touchedRuns = new Set();
    return taken;
  }

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
    this.takeTouched();
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
