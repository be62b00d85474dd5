// Rows that this device can't act on, with the reason and their origin. Filled after a merge and when
// work on a row failed; a row that can be read again is removed.
import { Store } from '#main/store/store-context.ts';
import { refusedId } from '#main/store/sqlite/refused-set.ts';
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { MAX_REFUSAL_LENGTH } from '#shared/limits.ts';
import { holdsWorkflow } from '#shared/refused-rows.ts';

export interface RefusedRow {
  readonly id: string;
  readonly table: string;
  /** The parts of its key. */
  readonly key: readonly string[];
  readonly workflowId: string | null;
  readonly deviceId: string | null;
  readonly reason: string;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly times: number;
  readonly acknowledgedAt: number | null;
}

type Row = Omit<RefusedRow, 'key'> & { readonly key: string };

const COLUMNS = `id, table_name AS "table", row_key AS key, workflow_id AS workflowId,
  device_id AS deviceId, reason, first_at AS firstAt, last_at AS lastAt, times,
  acknowledged_at AS acknowledgedAt`;

export interface NewRefusal {
  readonly table: string;
  readonly key: readonly string[];
  readonly workflowId: string | null;
  readonly deviceId: string | null;
  readonly reason: string;
}

export class RefusedRowStore extends Store {
  readonly #held: TableCache<ReadonlySet<string>>;

  constructor(context: StoreContext) {
    super(context);
    this.#held = context.db.cache('refused_rows');
  }

  /** True if it was not refused before, or for another reason. */
  refuse({ table, key, workflowId, deviceId, reason: given }: NewRefusal): boolean {
    const { db, clock } = this.context;
    const id = refusedId(table, key.join('/'));
    const reason = given.slice(0, MAX_REFUSAL_LENGTH);
    const now = clock.now();
    return db.write(() => {
      const before = db.value<string>('SELECT reason FROM refused_rows WHERE id = ?', id);
      db.run(
        `INSERT INTO refused_rows (id, table_name, row_key, workflow_id, device_id, reason,
           first_at, last_at, times) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)
         ON CONFLICT (id) DO UPDATE SET reason = excluded.reason, last_at = excluded.last_at,
           times = times + 1, workflow_id = coalesce(excluded.workflow_id, workflow_id),
           device_id = coalesce(excluded.device_id, device_id),
           acknowledged_at = CASE WHEN reason = excluded.reason THEN acknowledged_at END`,
        id,
        table,
        JSON.stringify(key),
        workflowId,
        deviceId,
        reason,
        now,
        now,
      );
      this.#changed(id, workflowId);
      return before !== reason;
    });
  }

  /** The row can be read, or is gone. */
  accept(id: string): void {
    const { db } = this.context;
    db.write(() => {
      const workflowId = db.value<string | null>(
        'SELECT workflow_id FROM refused_rows WHERE id = ?',
        id,
      );
      if (db.run('DELETE FROM refused_rows WHERE id = ?', id) === 1) {
        this.#changed(id, workflowId ?? null);
      }
    });
  }

  get(id: string): RefusedRow | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM refused_rows WHERE id = ?`, id);
    return row && toRefusedRow(row);
  }

  /** Oldest first. */
  list(): RefusedRow[] {
    return this.db
      .all<Row>(`SELECT ${COLUMNS} FROM refused_rows ORDER BY first_at, id`)
      .map(toRefusedRow);
  }

  /** Rows that hold their workflow first, then the oldest. */
  unacknowledged(limit: number): RefusedRow[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM refused_rows WHERE acknowledged_at IS NULL
         ORDER BY workflow_id IS NULL, first_at, id LIMIT ?`,
        limit,
      )
      .map(toRefusedRow);
  }

  ofWorkflow(workflowId: string): RefusedRow[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM refused_rows WHERE workflow_id = ? ORDER BY first_at, id`,
        workflowId,
      )
      .map(toRefusedRow);
  }

  get isEmpty(): boolean {
    return this.db.value('SELECT 1 FROM refused_rows LIMIT 1') === undefined;
  }

  /** Whether the workflow must not run here, because its state can't be read. */
  holds(workflowId: string): boolean {
    return this.heldWorkflows().has(workflowId);
  }

  heldWorkflows(): ReadonlySet<string> {
    return this.#held.get('all', () => {
      const rows = this.db.all<{ table: string; workflowId: string }>(
        `SELECT table_name AS "table", workflow_id AS workflowId FROM refused_rows
         WHERE workflow_id IS NOT NULL`,
      );
      return new Set(
        rows.filter(({ table }) => holdsWorkflow(table)).map(({ workflowId }) => workflowId),
      );
    });
  }

  acknowledge(id: string): void {
    const { db, clock } = this.context;
    db.write(() => {
      db.run(
        'UPDATE refused_rows SET acknowledged_at = ? WHERE id = ? AND acknowledged_at IS NULL',
        clock.now(),
        id,
      );
      this.#changed(id, null);
    });
  }

  #changed(id: string, workflowId: string | null): void {
    this.db.changes.record('refused_rows', id);
    if (workflowId !== null) this.db.changes.record('workflows', workflowId);
  }
}

function toRefusedRow(row: Row): RefusedRow {
  return { ...row, key: JSON.parse(row.key) as string[] };
}
