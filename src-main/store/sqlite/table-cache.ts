// What small tables say, kept between reads. A run asks for the same few rows with every step (who
// owns the workflow, whether it is paused, what it may use), and they hardly ever change.

/** Far more than there are workflows; only so that it cannot grow for ever. */
const MAX_KEPT = 10_000;

/** Rows of one table by a key of the reader's. What is given out is shared: nobody may change it. */
export class Kept<Value> {
  readonly #values = new Map<string, { readonly value: Value }>();

  get(key: string, read: () => Value): Value {
    const known = this.#values.get(key);
    if (known) return known.value;
    const value = read();
    if (this.#values.size >= MAX_KEPT) this.#values.clear();
    this.#values.set(key, { value });
    return value;
  }

  forget(): void {
    this.#values.clear();
  }
}

/** All that is kept of a database. Nobody has to say what he wrote: the statement says it. */
export class KeptTables {
  readonly #tables = new Map<string, Kept<unknown>[]>();
  readonly #written = new Map<string, readonly Kept<unknown>[]>();

  keep<Value>(table: string): Kept<Value> {
    const kept = new Kept<Value>();
    this.#tables.set(table, [...(this.#tables.get(table) ?? []), kept]);
    this.#written.clear();
    return kept;
  }

  /** A statement has changed rows. */
  wrote(sql: string): void {
    let touched = this.#written.get(sql);
    if (!touched) {
      touched = this.#writtenBy(sql);
      this.#written.set(sql, touched);
    }
    for (const kept of touched) kept.forget();
  }

  /** Anything may have changed: a merge, a rollback, another connection. */
  forgetAll(): void {
    for (const kept of this.#all()) kept.forget();
  }

  #writtenBy(sql: string): readonly Kept<unknown>[] {
    const table = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)/i.exec(sql)?.[1];
    // A merge may write to any of them.
    if (table === undefined || table === 'crsql_changes') return this.#all();
    return this.#tables.get(table) ?? [];
  }

  #all(): Kept<unknown>[] {
    return [...this.#tables.values()].flat();
  }
}
