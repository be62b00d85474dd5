// What this process wrote to a row last, so that the next step need not read it. It may be out of
// date: whoever goes on from it has the database compare it in the update, and reads if it differs.

/** Runs and effects under way at a time are fewer. */
const MAX_ROWS = 1000;

export class LastWritten<Row> {
  readonly #rows = new Map<string, Row>();

  set(id: string, row: Row): void {
    this.#rows.set(id, row);
    if (this.#rows.size <= MAX_ROWS) return;
    for (const oldest of this.#rows.keys()) {
      this.#rows.delete(oldest);
      return;
    }
  }

  /** It is gone with that: whoever writes the row sets it anew. */
  take(id: string): Row | undefined {
    const row = this.#rows.get(id);
    if (row) this.#rows.delete(id);
    return row;
  }
}
