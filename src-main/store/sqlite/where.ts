// WHERE clauses of lists with optional filters.

/** A condition and its value. An array fills several placeholders, or none. */
export type Condition = readonly [sql: string, value: unknown];

/** Joins the conditions whose value is not undefined. */
export function whereGiven(conditions: readonly Condition[]): {
  readonly where: string;
  readonly params: unknown[];
} {
  const given = conditions.filter(([, value]) => value !== undefined);
  return {
    where: given.length === 0 ? '' : `WHERE ${given.map(([sql]) => sql).join(' AND ')}`,
    params: given.flatMap(([, value]) => value),
  };
}
