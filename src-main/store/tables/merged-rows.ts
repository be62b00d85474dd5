// Queue of merged rows that the engine has not processed yet. Triggers fill it inside the merge, so
// it survives a crash between the merge and the processing.
import { Store } from '#main/store/store-context.ts';

export type MergedKind =
  | 'workflows'
  | 'events'
  | 'reservations'
  | 'handler_runs'
  | 'mutations'
  | 'ownership_claims'
  | 'resolutions'
  | 'intents'
  | 'automation_runs';

export interface MergedRow {
  readonly kind: MergedKind;
  /** Id of the row; for reservations the event's id, for claims the workflow's. */
  readonly id: string;
}

export class MergedRowStore extends Store {
  /** Removes rows from the queue. Process them in the same write. */
  take(limit: number): MergedRow[] {
    return this.db.write(() => {
      const rows = this.db.all<MergedRow>('SELECT kind, id FROM merged_rows LIMIT ?', limit);
      for (const { kind, id } of rows) {
        this.db.run('DELETE FROM merged_rows WHERE kind = ? AND id = ?', kind, id);
      }
      return rows;
    });
  }

  /** They are processed again with the next rows. */
  putBack(rows: readonly MergedRow[]): void {
    if (rows.length === 0) return;
    this.db.write(() => {
      for (const { kind, id } of rows) {
        this.db.run(
          `INSERT INTO merged_rows SELECT @kind, @id
           WHERE NOT EXISTS (SELECT 1 FROM merged_rows WHERE kind = @kind AND id = @id)`,
          { kind, id },
        );
      }
    });
  }
}
