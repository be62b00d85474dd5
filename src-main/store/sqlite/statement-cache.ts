// Prepared statements by their SQL text, one per connection. They never go stale: after a schema
// change, SQLite prepares them again.
import type SQLite from 'better-sqlite3';

export type Statement = SQLite.Statement<unknown[]>;

export class StatementCache {
  readonly #sqlite: SQLite.Database;
  readonly #rows = new Map<string, Statement>();
  readonly #values = new Map<string, Statement>();

  constructor(sqlite: SQLite.Database) {
    this.#sqlite = sqlite;
  }

  /** Returns rows as objects. */
  rows(sql: string): Statement {
    return cached(this.#rows, sql, () => this.#sqlite.prepare(sql));
  }

  /** Returns the first column of each row. */
  values(sql: string): Statement {
    return cached(this.#values, sql, () => this.#sqlite.prepare<unknown[]>(sql).pluck());
  }

  clear(): void {
    this.#rows.clear();
    this.#values.clear();
  }
}

function cached(
  statements: Map<string, Statement>,
  sql: string,
  prepare: () => Statement,
): Statement {
  const known = statements.get(sql);
  if (known) return known;
  const statement = prepare();
  statements.set(sql, statement);
  return statement;
}
