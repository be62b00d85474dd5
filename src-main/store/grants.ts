// What each workflow may use on this device. A tool that was not granted does not exist for it.
import type { StoreContext } from '#main/store/store-context.ts';
import type { Json } from '#shared/json.ts';

export class GrantStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  of(workflowId: string): { readonly [tool: string]: Json } {
    const rows = this.#context.db.all<{ tool: string; scope: string }>(
      'SELECT tool, scope FROM grants WHERE workflow_id = ? ORDER BY tool',
      workflowId,
    );
    return Object.fromEntries(rows.map(({ tool, scope }) => [tool, JSON.parse(scope) as Json]));
  }

  set(workflowId: string, tool: string, scope: Json): void {
    const { db, clock } = this.#context;
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
      db.changes.note('workflows', workflowId);
    });
  }

  remove(workflowId: string, tool: string): void {
    const { db } = this.#context;
    db.write(() => {
      db.run('DELETE FROM grants WHERE workflow_id = ? AND tool = ?', workflowId, tool);
      db.changes.note('workflows', workflowId);
    });
  }
}
