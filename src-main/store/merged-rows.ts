// What merges brought and nobody has looked at yet. The merge itself writes it (by triggers), so it
// survives whatever happens between the merge and the look.
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
  /** Of the row; for reservations of their event, for claims of their workflow. */
  readonly id: string;
}

export class MergedRowStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Forgets them with the write around it: whoever takes them looks at them in the same one. */
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
