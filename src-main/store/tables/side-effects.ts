// Effects caused by inputs: identity and response. Written once an effect is known to be applied,
// never changed.
import { parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { Store } from '#main/store/store-context.ts';
import type { Json } from '#shared/json.ts';

export interface SideEffect {
  readonly effectId: string;
  /** Id of the automation run. */
  readonly runId: string;
  readonly handlerRunId: string;
  readonly kind: string;
  readonly provider: string;
  readonly response: Json;
  readonly createdAt: number;
}

type Row = WithJsonText<SideEffect, 'response'>;

const COLUMNS = `effect_id AS effectId, run_id AS runId, handler_run_id AS handlerRunId, kind, provider,
  response_json AS response, created_at AS createdAt`;

export class SideEffectStore extends Store {
  /** Keeps the first row. */
  record(effect: Omit<SideEffect, 'createdAt'>): void {
    const { db, clock, spaceId } = this.context;
    const facts = {
      organization_id: spaceId,
      run_id: effect.runId,
      handler_run_id: effect.handlerRunId,
      kind: effect.kind,
      provider: effect.provider,
      created_at: clock.now(),
    };
    db.writeOne(() => {
      const inserted = db.run(
        `INSERT INTO automation_side_effects (effect_id, facts, response_json) VALUES (?, ?, ?)
         ON CONFLICT (effect_id) DO NOTHING`,
        effect.effectId,
        JSON.stringify(facts),
        JSON.stringify(effect.response),
      );
      if (inserted === 1) db.changes.record('automation_side_effects', effect.effectId);
    });
  }

  get(effectId: string): SideEffect | undefined {
    const row = this.db.get<Row>(
      `SELECT ${COLUMNS} FROM automation_side_effects WHERE effect_id = ?`,
      effectId,
    );
    return row && toSideEffect(row);
  }

  /** Oldest first. */
  ofRun(runId: string): SideEffect[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM automation_side_effects WHERE run_id = ?
         ORDER BY created_at, effect_id`,
        runId,
      )
      .map(toSideEffect);
  }
}

function toSideEffect(row: Row): SideEffect {
  return { ...row, response: parseJson<Json>(row.response) };
}
