// Versions of changes count up from what is on disk. After a power cut, or from a restored backup,
// the same numbers are given again to other changes; a peer that goes by the number alone would
// miss them without a word. So a number holds only together with its lineage: one opening of the
// database until the next. What a lineage gave before its last kept version is everyone's history.
import { syncedTables } from '#main/store/describe-schema.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { SYNC_LINEAGES_TOLD } from '#shared/limits.ts';
import type { Lineage } from '#shared/sync/lineage.ts';

interface Row {
  readonly ordinal: number;
  readonly id: string;
  readonly from_version: number;
  readonly told: number;
}

export class LineageStore {
  readonly #context: StoreContext;
  #newestVersion: string | undefined;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Once, when the database was opened and before anything is written to it. */
  open(): void {
    const { db, ids } = this.#context;
    const newest = this.#newest();
    db.write(() => {
      if (newest?.told === 0) {
        // Nobody knows it, or only somebody to whom it was told after the backup that this is:
        // under a new name it means one thing to everyone.
        db.run('UPDATE lineages SET id = ? WHERE ordinal = ?', ids.ulid(), newest.ordinal);
      } else {
        const from = this.version() + 1;
        db.run('INSERT INTO lineages (id, from_version) VALUES (?, ?)', ids.ulid(), from);
      }
    });
  }

  /**
   * Call before a peer gets any version. On disk first: else a power cut could take back both the
   * versions and the knowledge that a peer has them.
   */
  tell(): Lineage[] {
    const { db } = this.#context;
    const newest = this.#newest();
    if (!newest) throw new Error('A lineage is opened with the database, before anybody syncs.');
    if (newest.told === 0) {
      db.writeDurably(() =>
        db.run('UPDATE lineages SET told = 1 WHERE ordinal = ?', newest.ordinal),
      );
    }
    return this.#known();
  }

  /**
   * Of the newest change that is in this database. Not `crsql_db_version()`: that counts a write
   * which a savepoint took back, forgets it again, and gives its number to the next one.
   */
  version(): number {
    this.#newestVersion ??= newestVersionSql(syncedTables(this.#context.db));
    return this.#context.db.value<number>(this.#newestVersion) ?? 0;
  }

  /** Newest first; each with the last version that it still has. */
  #known(): Lineage[] {
    const rows = this.#context.db.all<Row>(
      'SELECT * FROM lineages ORDER BY ordinal DESC LIMIT ?',
      SYNC_LINEAGES_TOLD,
    );
    const ends = [this.version(), ...rows.map(({ from_version }) => from_version - 1)];
    return rows.map(({ id }, index) => ({ id, end: ends[index] ?? 0 }));
  }

  #newest(): Row | undefined {
    return this.#context.db.get<Row>('SELECT * FROM lineages ORDER BY ordinal DESC LIMIT 1');
  }
}

function newestVersionSql(tables: readonly string[]): string {
  const each = tables.map((table) => `SELECT max(db_version) AS v FROM "${table}__crsql_clock"`);
  return `SELECT max(v) FROM (${each.join(' UNION ALL ')})`;
}
