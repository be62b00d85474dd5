// Rows of a live list as values: the shown ones, and new ones that wait because inserting them
// would move the row the reader looks at.

export interface Row {
  readonly id: string;
}

export interface ListRows<R extends Row> {
  readonly shown: readonly R[];
  /** New rows that belong among the shown ones, newest first. */
  readonly waiting: readonly R[];
  /** More new rows exist than were loaded. Showing them restarts the list. */
  readonly hasMoreWaiting: boolean;
}

/** Ids sort by creation time. */
export function newestIdFirst(a: Row, b: Row): number {
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

/** The host's filter and order. */
export interface ListRule<R extends Row> {
  newestFirst(a: R, b: R): number;
  matches(row: R): boolean;
}

/**
 * Merges fresh rows. Known rows update in place even if they no longer match, because removing one
 * would move the others. New rows wait if they belong between shown ones.
 */
export function mergeFresh<R extends Row>(
  rows: ListRows<R>,
  fresh: readonly R[],
  { rule, complete }: { rule: ListRule<R>; complete: boolean },
): ListRows<R> {
  const byId = new Map(fresh.map((row) => [row.id, row]));
  const renew = (row: R): R => {
    const newer = byId.get(row.id);
    if (newer === undefined) return row;
    byId.delete(row.id);
    return newer;
  };
  const shown = rows.shown.map(renew);
  const waiting = rows.waiting.map(renew).filter((row) => rule.matches(row));
  const last = shown.at(-1);
  const arrived = [...byId.values()].filter(
    (row) =>
      rule.matches(row) && (complete || last === undefined || rule.newestFirst(row, last) < 0),
  );
  return { ...rows, shown, waiting: [...waiting, ...arrived].toSorted(rule.newestFirst) };
}

/** Inserts waiting rows and removes rows that no longer match. */
export function applyWaiting<R extends Row>(rows: ListRows<R>, rule: ListRule<R>): ListRows<R> {
  const staying = rows.shown.every((row) => rule.matches(row))
    ? rows.shown
    : rows.shown.filter((row) => rule.matches(row));
  if (rows.waiting.length === 0 && staying === rows.shown) return rows;
  return { shown: merge(rows.waiting, staying, rule), waiting: [], hasMoreWaiting: false };
}

/** Merges two sorted lists. */
function merge<R extends Row>(
  a: readonly R[],
  b: readonly R[],
  { newestFirst }: ListRule<R>,
): readonly R[] {
  const merged: R[] = [];
  let i = 0;
  let j = 0;
  for (;;) {
    const left = a[i];
    const right = b[j];
    if (left === undefined) return merged.concat(b.slice(j));
    if (right === undefined) return merged.concat(a.slice(i));
    if (newestFirst(left, right) < 0) {
      merged.push(left);
      i += 1;
    } else {
      merged.push(right);
      j += 1;
    }
  }
}
