// Every version of a workflow's script. A version is its content: the same text is the same row.
import type { StoreContext } from '#main/store/store-context.ts';
import { scriptId, sha256Hex } from '#shared/ids.ts';

export interface Script {
  readonly id: string;
  readonly workflowId: string;
  readonly sha: string;
  readonly code: string;
  readonly createdAt: number;
}

export class ScriptStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  ensure(workflowId: string, code: string): Script {
    const { db, clock } = this.#context;
    const sha = sha256Hex(code);
    const id = scriptId(workflowId, sha);
    return db.write(() => {
      const facts = { workflow_id: workflowId, sha, code, created_at: clock.now() };
      const inserted = db.run(
        'INSERT INTO scripts (id, facts) VALUES (?, ?) ON CONFLICT (id) DO NOTHING',
        id,
        JSON.stringify(facts),
      );
      if (inserted === 1) db.changes.note('scripts', id);
      return this.get(id) as Script;
    });
  }

  get(id: string): Script | undefined {
    const row = this.#context.db.get<{
      workflow_id: string;
      sha: string;
      code: string;
      created_at: number;
    }>('SELECT workflow_id, sha, code, created_at FROM scripts WHERE id = ?', id);
    return (
      row && {
        id,
        workflowId: row.workflow_id,
        sha: row.sha,
        code: row.code,
        createdAt: row.created_at,
      }
    );
  }
}
