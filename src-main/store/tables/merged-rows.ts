// Queue of merged rows that the engine has not processed yet. Triggers fill it inside the merge, so
// it survives a crash between the merge and the processing.
import type { StoreContext } from '#main/store/store-context.ts';

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

export class MergedRowStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Removes rows from the queue. Process them in the same write. */
  take(limit: number): MergedRow[] {
    const { db } = this.#context;
    return db.write(() => {
      const rows = db.all<MergedRow>('SELECT kind, id FROM merged_rows LIMIT ?', limit);
      for (const { kind, id } of rows) {
        db.run('DELETE FROM merged_rows WHERE kind = ? AND id = ?', kind, id);
      }
      return rows;
    });
  }
}
