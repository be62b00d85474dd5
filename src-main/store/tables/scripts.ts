// Versions of workflow files, addressed by content: the same text is the same row.
import { parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { encodeCursor, placeAfter, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { whereGiven } from '#main/store/sqlite/where.ts';
import { Store } from '#main/store/store-context.ts';
import { scriptId, sha256Hex } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';

export interface Script {
  readonly id: string;
  readonly workflowId: string;
  readonly sha: string;
  readonly code: string;
  /** Name of the source file, for stack traces and lists. */
  readonly fileName: string | null;
  readonly handlerConfig: Json;
  readonly createdAt: number;
  /** The device that added it; null for rows from before this was recorded. */
  readonly deviceId: string | null;
}

type Row = WithJsonText<Script, 'handlerConfig'>;

const COLUMNS = `id, workflow_id AS workflowId, sha, code, file_name AS fileName,
  handler_config AS handlerConfig, created_at AS createdAt, facts->>'device_id' AS deviceId`;

export class ScriptStore extends Store {
  ensure(
    workflowId: string,
    code: string,
    about: { readonly fileName?: string; readonly handlerConfig?: Json } = {},
  ): Script {
    const { db, clock, deviceId } = this.context;
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
        device_id: deviceId,
      };
      const inserted = db.run(
        'INSERT INTO scripts (id, facts) VALUES (?, ?) ON CONFLICT (id) DO NOTHING',
        id,
        JSON.stringify(facts),
      );
      if (inserted === 1) db.changes.record('scripts', id);
      return this.get(id) as Script;
    });
  }

  get(id: string): Script | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM scripts WHERE id = ?`, id);
    return row && this.refused.read('scripts', id, () => toScript(row));
  }

  /** Newest first. */
  versions(
    workflowId: string,
    page: Page = { limit: Number.MAX_SAFE_INTEGER },
  ): { versions: Script[]; next: string | null } {
    const { where, params } = whereGiven([
      ['workflow_id = ?', workflowId],
      ['(created_at, id) < (?, ?)', placeAfter(page)],
    ]);
    const rows = this.db.all<Row>(
      `SELECT ${COLUMNS} FROM scripts ${where} ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...params,
      page.limit,
    );
    const versions = rows.flatMap(this.refused.readable('scripts', toScript));
    return { versions, next: encodeCursor(rows, page.limit) };
  }
}

function toScript(row: Row): Script {
  return { ...row, handlerConfig: parseJson<Json>(row.handlerConfig) };
}
