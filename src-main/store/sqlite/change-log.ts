// The rows that a transaction changed. Listeners are called after its commit, never after a
// rollback.
import type { FeedTable } from '#shared/api/feed.ts';

export type Changes = ReadonlyMap<FeedTable, ReadonlySet<string>>;
export type ChangeListener = (changes: Changes) => void;

export class ChangeLog {
  readonly #listeners = new Set<ChangeListener>();
  readonly #commitListeners = new Set<() => void>();
  readonly #rollbackListeners = new Set<() => void>();
  readonly #mergeListeners = new Set<() => void>();
  #pending = new Map<FeedTable, Set<string>>();
  #isMerge = false;
  #touchedInputs = new Set<string>();
  #touchedRuns = new Set<string>();

  /** Records a changed row of the current transaction. */
  record(table: FeedTable, id: string): void {
    const ids = this.#pending.get(table);
    if (ids) ids.add(id);
    else this.#pending.set(table, new Set([id]));
  }

  /** Work under an input changed: its status is derived again before the commit. */
  touchInput(inputId: string | null | undefined): void {
    if (inputId !== null && inputId !== undefined) this.#touchedInputs.add(inputId);
  }

  /** As `touchInput`, for the inputs whose events this handler run reserved. */
  touchRun(handlerRunId: string): void {
    this.#touchedRuns.add(handlerRunId);
  }

  takeTouched(): {
    readonly inputs: ReadonlySet<string>;
    readonly runs: ReadonlySet<string>;
  } | null {
    if (this.#touchedInputs.size === 0 && this.#touchedRuns.size === 0) return null;
    const taken = { inputs: this.#touchedInputs, runs: this.#touchedRuns };
    this.#touchedInputs = new Set();
    this.#touchedRuns = new Set();
    return taken;
  }

  /** Marks the current transaction as a merge of another device's changes. */
  markMerge(): void {
    this.#isMerge = true;
  }

  committed(): void {
    this.#notifyChanges();
    for (const listener of this.#commitListeners) listener();
    if (!this.#isMerge) return;
    this.#isMerge = false;
    for (const listener of this.#mergeListeners) listener();
  }

  #notifyChanges(): void {
    if (this.#pending.size === 0) return;
    const changes = this.#pending;
    this.#pending = new Map();
    for (const listener of this.#listeners) listener(changes);
  }

  rolledBack(): void {
    this.#pending.clear();
    this.takeTouched();
    this.#isMerge = false;
    for (const listener of this.#rollbackListeners) listener();
  }

  /** Notifies listeners of a change outside the database, such as a growing log file or a link. */
  notify(table: FeedTable, id: string): void {
    for (const listener of this.#listeners) listener(new Map([[table, new Set([id])]]));
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called after every commit, also when no change was recorded. */
  onCommit(listener: () => void): () => void {
    this.#commitListeners.add(listener);
    return () => this.#commitListeners.delete(listener);
  }

  /** Called after a transaction was rolled back, not after a savepoint. */
  onRollback(listener: () => void): () => void {
    this.#rollbackListeners.add(listener);
    return () => this.#rollbackListeners.delete(listener);
  }

  /** Called after each merge; its rows are in `merged_rows`. */
  onMerge(listener: () => void): () => void {
    this.#mergeListeners.add(listener);
    return () => this.#mergeListeners.delete(listener);
  }
}
