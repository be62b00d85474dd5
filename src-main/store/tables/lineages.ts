// Lineages of change versions, one per opening of the database. Versions count up from the state on
// disk: after a power cut or a restored backup the same versions are assigned to other changes, and
// a peer that compared versions alone would miss them. So a version is valid only together with its
// lineage; changes up to the last surviving version of a lineage are common history.
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { Store } from '#main/store/store-context.ts';
import { SYNC_MAX_LINEAGES } from '#shared/limits.ts';
import type { Lineage } from '#shared/sync/lineage.ts';

interface Row {
  readonly ordinal: number;
  readonly id: string;
  readonly from_version: number;
  readonly told: number;
}

const SESSION_TABLES = ['script_runs', 'run_events'];

export class LineageStore extends Store {
  #newestVersion: string | undefined;
  #newestWork: string | undefined;

  /**
   * Call once after opening the database and before the first write, and when it turns out that the
   * open database went back, as with the snapshot of a running virtual machine.
   */
  open(): void {
    const { db, ids } = this.context;
    const newest = this.#newest();
    db.write(() => {
      if (newest?.told === 0) {
        // No peer knows this lineage, or a peer learned of it after this backup was made: a new id
        // makes it unambiguous.
        db.run('UPDATE lineages SET id = ? WHERE ordinal = ?', ids.ulid(), newest.ordinal);
      } else {
        const from = this.version() + 1;
        db.run('INSERT INTO lineages (id, from_version) VALUES (?, ?)', ids.ulid(), from);
      }
    });
  }

  /** The id of the current lineage. */
  get newest(): string {
    return this.#newest()?.id ?? '';
  }

  /**
   * Call before sending a peer any version. Fsynced first: otherwise a power cut could undo both the
   * versions and the record that a peer has them.
   */
  announce(): Lineage[] {
    const newest = this.#newest();
    if (!newest) throw new Error('No lineage: call open() before syncing.');
    if (newest.told === 0) {
      this.db.writeDurably(() =>
        this.db.run('UPDATE lineages SET told = 1 WHERE ordinal = ?', newest.ordinal),
      );
    }
    return this.#known();
  }

  /**
   * The version of the newest change in this database. Not `crsql_db_version()`, which also counts a
   * write that a savepoint rolled back and then reuses its number.
   */
  version(): number {
    this.#newestVersion ??= newestVersionSql(syncedTables(this.db));
    return this.db.value<number>(this.#newestVersion) ?? 0;
  }

  /**
   * The version of the newest change in the work of this device. Sessions and their log are left out:
   * they end after the links are closed, so no peer has those changes.
   */
  workVersion(): number {
    this.#newestWork ??= newestVersionSql(
      syncedTables(this.db).filter((table) => !SESSION_TABLES.includes(table)),
    );
    return this.db.value<number>(this.#newestWork) ?? 0;
  }

  /** Newest first, each with its last surviving version. */
  #known(): Lineage[] {
    const rows = this.db.all<Row>(
      'SELECT * FROM lineages ORDER BY ordinal DESC LIMIT ?',
      SYNC_MAX_LINEAGES,
    );
    const ends = [this.version(), ...rows.map(({ from_version }) => from_version - 1)];
    return rows.map(({ id }, index) => ({ id, end: ends[index] ?? 0 }));
  }

  #newest(): Row | undefined {
    return this.db.get<Row>('SELECT * FROM lineages ORDER BY ordinal DESC LIMIT 1');
  }
}

function newestVersionSql(tables: readonly string[]): string {
  const each = tables.map((table) => `SELECT max(db_version) AS v FROM "${table}__crsql_clock"`);
  return `SELECT max(v) FROM (${each.join(' UNION ALL ')})`;
}
