// People's decisions about effects whose outcome is unknown. The first one that the owner carries
// out wins; later ones stay and are shown as superseded.
import { expectMerged, parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { Store } from '#main/store/store-context.ts';
import type { DecisionOutcome, DecisionStatus } from '#shared/decision.ts';
import type { Json } from '#shared/json.ts';
import type { Resolution } from '#shared/machines/mutation.ts';

export interface ResolutionRow {
  readonly id: string;
  readonly mutationId: string;
  readonly workflowId: string;
  readonly resolution: Resolution;
  readonly result: Json;
  readonly note: string | null;
  /** The person confirmed sending again although the outcome can't be checked. */
  readonly isConfirmed: boolean;
  /** Until then the device that wrote it can undo it. */
  readonly notBefore: number | null;
  readonly deviceId: string;
  readonly createdAt: number;
  readonly status: DecisionStatus;
  readonly message: string | null;
}

export interface NewResolution {
  readonly mutationId: string;
  readonly workflowId: string;
  readonly resolution: Resolution;
  readonly result?: Json | undefined;
  readonly note?: string | undefined;
  readonly isConfirmed?: boolean | undefined;
  /** The undo period in ms. */
  readonly graceMs?: number | undefined;
}

interface Row extends WithJsonText<Omit<ResolutionRow, 'isConfirmed' | 'status'>, 'result'> {
  readonly confirmed: number | null;
  /** The first edition wrote `carried_out` for `done`. */
  readonly status: DecisionStatus | 'carried_out';
}

const COLUMNS = `id, mutation_id AS mutationId, workflow_id AS workflowId, resolution, result, note,
  facts ->> 'confirmed' AS confirmed, facts ->> 'not_before' AS notBefore, device_id AS deviceId,
  created_at AS createdAt, status, message`;

export class ResolutionStore extends Store {
  /** Idempotent by `id`, which the caller chooses. */
  add(id: string, resolution: NewResolution): void {
    const { db, clock, deviceId } = this.context;
    const facts = {
      mutation_id: resolution.mutationId,
      workflow_id: resolution.workflowId,
      resolution: resolution.resolution,
      result: resolution.result,
      note: resolution.note,
      ...(resolution.isConfirmed ? { confirmed: true } : {}),
      ...(resolution.graceMs ? { not_before: clock.now() + resolution.graceMs } : {}),
      device_id: deviceId,
      created_at: clock.now(),
    };
    db.write(() => {
      const inserted = db.run(
        `INSERT INTO resolutions (id, facts, outcome) VALUES (?, ?, '{"status":"waiting"}')
         ON CONFLICT (id) DO NOTHING`,
        id,
        JSON.stringify(facts),
      );
      if (inserted === 1) db.changes.record('resolutions', id);
    });
  }

  get(id: string): ResolutionRow | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM resolutions WHERE id = ?`, id);
    return row && this.refused.read('resolutions', id, () => toResolution(row));
  }

  ofMutation(mutationId: string): ResolutionRow[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM resolutions WHERE mutation_id = ? ORDER BY created_at, id`,
        mutationId,
      )
      .flatMap(this.refused.readable('resolutions', toResolution));
  }

  waiting(workflowId: string): ResolutionRow[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM resolutions WHERE workflow_id = ? AND status = 'waiting'
         ORDER BY created_at, id`,
        workflowId,
      )
      .flatMap(this.refused.readable('resolutions', toResolution));
  }

  decide(id: string, { status, message }: DecisionOutcome): void {
    const { db, clock } = this.context;
    const outcome = JSON.stringify({ status, message, at: clock.now() });
    db.write(() => {
      db.run(`UPDATE resolutions SET outcome = ? WHERE id = ? AND status = 'waiting'`, outcome, id);
      db.changes.record('resolutions', id);
    });
  }
}

function toResolution({ confirmed, ...row }: Row): ResolutionRow {
  expectMerged(row.mutationId);
  expectMerged(row.status);
  return {
    ...row,
    result: parseJson<Json>(row.result),
    isConfirmed: confirmed === 1,
    status: row.status === 'carried_out' ? 'done' : row.status,
  };
}
