// People's requests to workflows and their results: the audit log of actions on all devices.
import { expectMerged, parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { encodeCursor, placeAfter, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { whereGiven } from '#main/store/sqlite/where.ts';
import { Store } from '#main/store/store-context.ts';
import type { DecisionOutcome, DecisionStatus } from '#shared/decision.ts';
import type { Json } from '#shared/json.ts';
import type { IntentRequest } from '#shared/intents.ts';

export interface Intent {
  readonly id: string;
  readonly workflowId: string;
  /** Unvalidated: another device may have written it. Parse it before acting on it. */
  readonly wish: Json;
  readonly deviceId: string;
  readonly createdAt: number;
  readonly status: DecisionStatus;
  readonly message: string | null;
  readonly decidedAt: number | null;
}

type Row = WithJsonText<Intent, 'wish'>;

const COLUMNS = `id, workflow_id AS workflowId, wish, device_id AS deviceId, created_at AS createdAt,
  status, message, decided_at AS decidedAt`;

export class IntentStore extends Store {
  /** Idempotent by `id`, which the caller chooses. */
  add(id: string, workflowId: string, request: IntentRequest): Intent {
    const { db, clock, deviceId } = this.context;
    const facts = {
      workflow_id: workflowId,
      wish: request,
      device_id: deviceId,
      created_at: clock.now(),
    };
    return db.write(() => {
      const inserted = db.run(
        'INSERT INTO intents (id, facts) VALUES (?, ?) ON CONFLICT (id) DO NOTHING',
        id,
        JSON.stringify(facts),
      );
      if (inserted === 1) db.changes.record('intents', id);
      return this.get(id) as Intent;
    });
  }

  get(id: string): Intent | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM intents WHERE id = ?`, id);
    return row && this.refused.read('intents', id, () => toIntent(row));
  }

  /** Oldest first, the order in which they are carried out. */
  waiting(workflowId: string): Intent[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM intents WHERE workflow_id = ? AND status = 'waiting'
         ORDER BY created_at, id`,
        workflowId,
      )
      .flatMap(this.refused.readable('intents', toIntent));
  }

  decide(id: string, { status, message }: DecisionOutcome): void {
    const { db, clock, deviceId } = this.context;
    const outcome = JSON.stringify({ status, message, at: clock.now(), device_id: deviceId });
    db.write(() => {
      db.run(`UPDATE intents SET outcome = ? WHERE id = ? AND status = 'waiting'`, outcome, id);
      db.changes.record('intents', id);
    });
  }

  /** Newest first. */
  list(page: Page & { readonly workflowId?: string | undefined }): {
    intents: Intent[];
    next: string | null;
  } {
    const { where, params } = whereGiven([
      ['workflow_id = ?', page.workflowId],
      ['(created_at, id) < (?, ?)', placeAfter(page)],
    ]);
    const rows = this.db.all<Row>(
      `SELECT ${COLUMNS} FROM intents ${where} ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...params,
      page.limit,
    );
    const intents = rows.flatMap(this.refused.readable('intents', toIntent));
    return { intents, next: encodeCursor(rows, page.limit) };
  }
}

function toIntent(row: Row): Intent {
  expectMerged(row.workflowId);
  expectMerged(row.status);
  return { ...row, wish: parseJson<Json>(row.wish) };
}
