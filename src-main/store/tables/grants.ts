// Tools that each workflow may use on this device. Without a grant a tool doesn't exist for it.
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import type { Json } from '#shared/json.ts';

export interface Grants {
  readonly [tool: string]: Json;
}

export class GrantStore extends Store {
  readonly #grants: TableCache<Grants>;

  constructor(context: StoreContext) {
    super(context);
    this.#grants = context.db.cache('grants');
  }

  list(workflowId: string): { tool: string; scope: Json; grantedAt: number }[] {
    return this.db
      .all<{ tool: string; scope: string; grantedAt: number }>(
        `SELECT tool, scope, granted_at AS "grantedAt" FROM grants
         WHERE workflow_id = ? ORDER BY tool`,
        workflowId,
      )
      .map((row) => ({ ...row, scope: JSON.parse(row.scope) as Json }));
  }

  of(workflowId: string): Grants {
    return this.#grants.get(workflowId, () =>
      Object.fromEntries(this.list(workflowId).map(({ tool, scope }) => [tool, scope])),
    );
  }

  set(workflowId: string, tool: string, scope: Json): void {
    const { db, clock } = this.context;
    db.write(() => {
      db.run(
        `INSERT INTO grants (workflow_id, tool, scope, granted_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (workflow_id, tool) DO UPDATE SET scope = excluded.scope,
           granted_at = excluded.granted_at`,
        workflowId,
        tool,
        JSON.stringify(scope),
        clock.now(),
      );
      db.changes.record('workflows', workflowId);
    });
  }

  /** False when there was no such grant. */
  remove(workflowId: string, tool: string): boolean {
    return this.db.write(() => {
      const sql = 'DELETE FROM grants WHERE workflow_id = ? AND tool = ?';
      const wasGranted = this.db.run(sql, workflowId, tool) > 0;
      if (wasGranted) this.db.changes.record('workflows', workflowId);
      return wasGranted;
    });
  }
}
