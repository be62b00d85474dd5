// Compares the JSON structure of the rows that both sides write. When the engine writes more, the
// baseline must follow, or the comparison is unfair.

/** By table: the structure of one row of a finished run, without its values. */
export interface Shapes {
  readonly [table: string]: string;
}

const SELECTS: { readonly [table: string]: string } = {
  consumed: `SELECT facts, content, progress FROM events WHERE status = 'consumed' LIMIT 1`,
  published: `SELECT facts, content, progress FROM events WHERE created_by_run_id IS NOT NULL LIMIT 1`,
  handler_runs: `SELECT facts, progress, prepare_result, logs FROM handler_runs
    WHERE phase = 'committed' LIMIT 1`,
  mutations: `SELECT facts, call, outcome FROM mutations WHERE status = 'applied' LIMIT 1`,
  rows_per_run: `SELECT
      (SELECT count(*) FROM mutations) = (SELECT count(*) FROM handler_runs) AS mutations,
      (SELECT count(*) FROM reservations) = (SELECT count(*) FROM handler_runs) AS reservations,
      (SELECT count(*) FROM events) = 2 * (SELECT count(*) FROM handler_runs) AS events,
      (SELECT count(*) FROM handler_state) AS states`,
};

export function shapesOf(get: (sql: string) => unknown): Shapes {
  return Object.fromEntries(
    Object.entries(SELECTS).map(([name, sql]) => [name, shapeOf(get(sql))]),
  );
}

function shapeOf(row: unknown): string {
  const columns = Object.entries(row ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? (JSON.parse(value) as unknown) : { is: String(value) },
  ]);
  return JSON.stringify(Object.fromEntries(columns), (key, value: unknown) =>
    value instanceof Object || key === 'is' ? value : '_',
  );
}

export function expectSameShapes(ours: Shapes, baseline: Shapes): void {
  for (const [table, shape] of Object.entries(ours)) {
    if (shape !== baseline[table]) {
      throw new Error(
        `${table}: the engine writes ${shape}, the baseline ${baseline[table]}. Update the baseline.`,
      );
    }
  }
}
