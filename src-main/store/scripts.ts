// Every version of a workflow's script. A version is its content: the same text is the same row.
import type { StoreContext } from '#main/store/store-context.ts';
import { scriptId, sha256Hex } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';

export interface Script {
  readonly id: string;
  readonly workflowId: string;
  readonly sha: string;
  readonly code: string;
  /** For stack traces and lists: the name of the person's file. */
  readonly fileName: string | null;
  readonly handlerConfig: Json;
  readonly createdAt: number;
}

export class ScriptStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  ensure(
    workflowId: string,
    code: string,
    about: { readonly fileName?: string; readonly handlerConfig?: Json } = {},
  ): Script {
    const { db, clock } = this.#context;
    const sha = sha256Hex(code);
    const id = scriptId(workflowId, sha);
    return db.write(() => {
      const facts = {
        workflow_id: workflowId,
        sha,
        code,
        file_name: about.fileName,
        handler_config: about.handlerConfig,
        created_at: clock.now(),
      };
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
      file_name: string | null;
      handler_config: string | null;
      created_at: number;
    }>(
      `SELECT workflow_id, sha, code, file_name, handler_config, created_at
       FROM scripts WHERE id = ?`,
      id,
    );
    return (
      row && {
        id,
        workflowId: row.workflow_id,
        sha: row.sha,
        code: row.code,
        fileName: row.file_name,
        handlerConfig:
          row.handler_config === null ? null : (JSON.parse(row.handler_config) as Json),
        createdAt: row.created_at,
      }
    );
  }

  /** The newest first. */
  versions(workflowId: string): Script[] {
    return this.#context.db
      .all<{ id: string }>(
        'SELECT id FROM scripts WHERE workflow_id = ? ORDER BY created_at DESC, id DESC',
        workflowId,
      )
      .map(({ id }) => this.get(id) as Script);
  }
}
