// The last validation of a version in each lane of a workflow (spec 000). Problems of the draft
// never overwrite the result of main.
import type { WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { Store } from '#main/store/store-context.ts';
import type { Lane, LaneValidationStatus } from '#shared/session-enums.ts';

export interface LaneValidation {
  readonly workflowId: string;
  readonly lane: Lane;
  readonly scriptId: string;
  readonly status: LaneValidationStatus;
  readonly problems: readonly string[];
  readonly validatedAt: number;
}

export class LaneValidationStore extends Store {
  /** `validatedAt`: when the version was checked, if that was before. */
  set(
    validation: Omit<LaneValidation, 'validatedAt' | 'status'>,
    validatedAt = this.context.clock.now(),
  ): void {
    const { db } = this.context;
    db.write(() =>
      db.run(
        `INSERT INTO lane_validation (workflow_id, lane, script_id, status, problems, validated_at)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (workflow_id, lane) DO UPDATE SET script_id = excluded.script_id,
           status = excluded.status, problems = excluded.problems,
           validated_at = excluded.validated_at`,
        validation.workflowId,
        validation.lane,
        validation.scriptId,
        validation.problems.length === 0 ? 'valid' : 'invalid',
        JSON.stringify(validation.problems),
        validatedAt,
      ),
    );
  }

  get(workflowId: string, lane: Lane): LaneValidation | undefined {
    const row = this.db.get<WithJsonText<LaneValidation, 'problems'>>(
      `SELECT workflow_id AS workflowId, lane, script_id AS scriptId, status, problems,
         validated_at AS validatedAt
       FROM lane_validation WHERE workflow_id = ? AND lane = ?`,
      workflowId,
      lane,
    );
    return row && { ...row, problems: JSON.parse(row.problems) as string[] };
  }
}
