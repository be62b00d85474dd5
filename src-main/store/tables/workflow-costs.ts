// Sums of the costs of runs. Triggers derive the table from the rows of runs (migration 0036), so reading
// a sum costs the same for any length of history.
import { Store } from '#main/store/store-context.ts';

/** `total`, because `sum` fails where merged rows add up to more than SQLite can count. */
export const SUM_OF_COST = `min(CAST(total(cost) AS INTEGER), ${Number.MAX_SAFE_INTEGER})`;

const QUARTER_MS = 900_000;
/** The row with the sum of all quarters. */
const ALL = -1;

/** In microdollars. */
export interface WorkflowCost {
  /** The cost of the runs that started since midnight on this device. */
  readonly today: number;
  /** The cost of all runs in the history. */
  readonly total: number;
}

export class WorkflowCostStore extends Store {
  of(workflowId: string): WorkflowCost {
    const midnight = new Date(this.context.clock.now()).setHours(0, 0, 0, 0);
    const sumSince = `SELECT ${SUM_OF_COST} FROM workflow_costs WHERE workflow_id = ?`;
    return {
      today:
        this.db.value<number>(
          `${sumSince} AND quarter >= ?`,
          workflowId,
          Math.floor(midnight / QUARTER_MS),
        ) ?? 0,
      total: this.db.value<number>(`${sumSince} AND quarter = ?`, workflowId, ALL) ?? 0,
    };
  }
}
