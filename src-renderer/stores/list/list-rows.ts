// The rows of a live list, as values: what is shown, and what waits because showing it would move
// the row that the reader looks at.

export interface Row {
  readonly id: string;
}

export interface ListRows<R extends Row> {
  readonly shown: readonly R[];
  /** Belongs among the shown, newest first. */
  readonly waiting: readonly R[];
  /** There are more new ones than were asked for: to show them, the list begins anew. */
  readonly hasMoreWaiting: boolean;
}

/** What the host lists, and in which order. */
export interface ListRule<R extends Row> {
  newestFirst(a: R, b: R): number;
  matches(row: R): boolean;
}

/**
 * Takes in fresh rows. Known ones change where they are, whatever the filter says: a row that
 * vanished would move the others. Unknown ones wait, if they belong between what is shown.
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

/** What waits goes to its place, and what no longer matches leaves. */
export function applyWaiting<R extends Row>(rows: ListRows<R>, rule: ListRule<R>): ListRows<R> {
  const staying = rows.shown.every((row) => rule.matches(row))
    ? rows.shown
    : rows.shown.filter((row) => rule.matches(row));
  if (rows.waiting.length === 0 && staying === rows.shown) return rows;
  return { shown: merge(rows.waiting, staying, rule), waiting: [], hasMoreWaiting: false };
}

/** Of two lists in order, one list in order. */
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
