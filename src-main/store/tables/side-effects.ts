// Effects caused by inputs: identity, response, and the automation runs of all inputs that each serves.
// Written once an effect is known to be applied, never changed.
import { parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { Store } from '#main/store/store-context.ts';
import type { Json } from '#shared/json.ts';

export interface SideEffect {
  readonly effectId: string;
  readonly organizationId: string;
  /** Ids of the automation runs that it serves: one for each input, the oldest input first. */
  readonly runIds: readonly string[];
  readonly handlerRunId: string;
  readonly kind: string;
  readonly provider: string;
  readonly response: Json;
  readonly createdAt: number;
}

type Row = WithJsonText<Omit<SideEffect, 'runIds'>, 'response'> & { readonly runId: string };

const COLUMNS = `s.effect_id AS effectId, s.organization_id AS organizationId, s.run_id AS runId,
  s.handler_run_id AS handlerRunId, s.kind, s.provider, s.response_json AS response,
  s.created_at AS createdAt`;

export class SideEffectStore extends Store {
  /** Keeps the first row, and adds runs that it doesn't list. */
  record(effect: Omit<SideEffect, 'organizationId' | 'createdAt'>): void {
    const { db } = this.context;
    const { effectId, runIds } = effect;
    // A single run is in the row itself, so there is one change.
    if (runIds.length === 1) db.writeOne(() => this.#insert(effect));
    else {
      db.write(() => {
        const organizationId = this.#insert(effect);
        for (const runId of runIds) this.#link(effectId, organizationId, runId);
        db.changes.record('automation_side_effects', effectId);
      });
    }
  }

  get(effectId: string): SideEffect | undefined {
    const row = this.#row(effectId);
    return row && this.#toSideEffect(row);
  }

  /** Oldest first. */
  ofRun(runId: string): SideEffect[] {
    const rows = this.db.all<Row>(
      `SELECT ${COLUMNS} FROM automation_side_effects AS s WHERE s.run_id = ?
       UNION
       SELECT ${COLUMNS} FROM automation_side_effect_runs AS r
       JOIN automation_side_effects AS s
         ON s.effect_id = r.effect_id AND s.organization_id = r.organization_id
       WHERE r.run_id = ?
       ORDER BY createdAt, handlerRunId, effectId`,
      runId,
      runId,
    );
    return rows
      .map((row) => ({ ...row, id: `${row.effectId}/${row.organizationId}` }))
      .flatMap(
        this.refused.readable('automation_side_effects', ({ id: _key, ...row }) =>
          this.#toSideEffect(row),
        ),
      );
  }

  /** Returns the organization of the row. */
  #insert(effect: Omit<SideEffect, 'organizationId' | 'createdAt'>): string {
    const { db, clock, spaceId } = this.context;
    // In any organization: a device that joined another space still knows its effects.
    const known = this.#row(effect.effectId);
    if (known) return known.organizationId;
    const facts = {
      run_id: effect.runIds[0],
      handler_run_id: effect.handlerRunId,
      kind: effect.kind,
      provider: effect.provider,
      created_at: clock.now(),
    };
    db.run(
      `INSERT INTO automation_side_effects (effect_id, organization_id, facts, response_json)
       VALUES (?, ?, ?, ?)`,
      effect.effectId,
      spaceId,
      JSON.stringify(facts),
      JSON.stringify(effect.response),
    );
    db.changes.record('automation_side_effects', effect.effectId);
    return spaceId;
  }

  #link(effectId: string, organizationId: string, runId: string): void {
    this.db.run(
      `INSERT INTO automation_side_effect_runs (effect_id, organization_id, run_id)
       VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
      effectId,
      organizationId,
      runId,
    );
  }

  #row(effectId: string): Row | undefined {
    return this.db.get<Row>(
      `SELECT ${COLUMNS} FROM automation_side_effects AS s WHERE s.effect_id = ?
       ORDER BY createdAt, organizationId LIMIT 1`,
      effectId,
    );
  }

  #toSideEffect({ runId, ...row }: Row): SideEffect {
    const others = this.db.values<string>(
      `SELECT r.run_id FROM automation_side_effect_runs AS r
       LEFT JOIN automation_runs AS a ON a.id = r.run_id
       WHERE r.effect_id = ? AND r.organization_id = ? AND r.run_id <> ?
       ORDER BY a.queued_at, r.run_id`,
      row.effectId,
      row.organizationId,
      runId,
    );
    return { ...row, runIds: [runId, ...others], response: parseJson<Json>(row.response) };
  }
}
