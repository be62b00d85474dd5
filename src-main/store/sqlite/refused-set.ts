// The set of refused rows, for the readers of all tables: lists skip these rows, and a read of a single
// one fails with its reason. The set is nearly always empty, so a read costs one lookup.
import type { Database } from '#main/store/sqlite/database.ts';
import { NotMergedYet } from '#main/store/sqlite/json-columns.ts';
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import { messageOf } from '#shared/message-of.ts';

/** The row is there, but its content isn't what this version reads. */
export class UnreadableRow extends Error {
  readonly table: string;
  readonly id: string;

  constructor(table: string, id: string, reason: string) {
    super(
      `Holdfast can't read the row "${id}" of "${table}": ${reason}. It stays unchanged, and nothing was done with it. Update Holdfast on all devices; the inbox shows the row.`,
    );
    this.name = 'UnreadableRow';
    this.table = table;
    this.id = id;
  }
}

export function refusedId(table: string, id: string): string {
  return `${table}:${id}`;
}

export class RefusedSet {
  readonly #db: Database;
  readonly #reasons: TableCache<ReadonlyMap<string, string>>;

  constructor(db: Database) {
    this.#db = db;
    this.#reasons = db.cache('refused_rows');
  }

  /** Reads a single row. Undefined if only a part of it has arrived. Throws `UnreadableRow`. */
  read<Value>(table: string, id: string, read: () => Value): Value | undefined {
    const reason = this.#all().get(refusedId(table, id));
    if (reason !== undefined) throw new UnreadableRow(table, id, reason);
    try {
      return read();
    } catch (error) {
      if (error instanceof UnreadableRow) throw error;
      if (error instanceof NotMergedYet) return undefined;
      throw new UnreadableRow(table, id, messageOf(error));
    }
  }

  /** For `flatMap` over the rows of a list: none for a row that can't be read. */
  readable<Row extends { readonly id: string }, Value>(
    table: string,
    toValue: (row: Row) => Value,
  ): (row: Row) => Value[] {
    return (row) => {
      if (this.#all().has(refusedId(table, row.id))) return [];
      try {
        return [toValue(row)];
      } catch {
        return [];
      }
    };
  }

  #all(): ReadonlyMap<string, string> {
    return this.#reasons.get('all', () => {
      const rows = this.#db.all<{ id: string; reason: string }>(
        'SELECT id, reason FROM refused_rows',
      );
      return new Map(rows.map(({ id, reason }) => [id, reason]));
    });
  }
}
