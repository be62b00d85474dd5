// The read cache of the store, with one invalidation rule: a write to a table clears everything
// cached from it. The table is derived from the SQL statement; a merge, a rollback or a commit of
// another connection clears all tables. (`RowMover` also caches rows, which its guard checks.)

/** Far more than the number of workflows; only bounds the memory. */
const MAX_ENTRIES = 10_000;

/** Values read from one table. They are shared between callers, who must not change them. */
export class TableCache<Value> {
  /** Boxed, because `undefined` (no such row) is cached too. */
  readonly #entries = new Map<string, { readonly value: Value }>();

  get(key: string, read: () => Value): Value {
    const known = this.#entries.get(key);
    if (known) return known.value;
    const value = read();
    if (this.#entries.size >= MAX_ENTRIES) this.#entries.clear();
    this.#entries.set(key, { value });
    return value;
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** All table caches of one connection. */
export class TableCaches {
  readonly #byTable = new Map<string, TableCache<unknown>[]>();
  readonly #byStatement = new Map<string, readonly TableCache<unknown>[]>();

  create<Value>(table: string): TableCache<Value> {
    const cache = new TableCache<Value>();
    this.#byTable.set(table, [...(this.#byTable.get(table) ?? []), cache]);
    this.#byStatement.clear();
    return cache;
  }

  /** Call after a statement has changed rows. */
  invalidate(sql: string): void {
    let affected = this.#byStatement.get(sql);
    if (!affected) {
      affected = this.#affectedBy(sql);
      this.#byStatement.set(sql, affected);
    }
    for (const cache of affected) cache.clear();
  }

  invalidateAll(): void {
    for (const cache of this.#all()) cache.clear();
  }

  #affectedBy(sql: string): readonly TableCache<unknown>[] {
    const table = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)/i.exec(sql)?.[1];
    // A write to `crsql_changes` is a merge, which can change every synced table.
    if (table === undefined || table === 'crsql_changes') return this.#all();
    return this.#byTable.get(table) ?? [];
  }

  #all(): TableCache<unknown>[] {
    return [...this.#byTable.values()].flat();
  }
}
