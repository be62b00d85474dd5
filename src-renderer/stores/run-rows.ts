// The rows of the runs list, as values: what is shown, and what waits because showing it would
// move the row that the reader looks at.
import type { RunView } from '#shared/api/contract.ts';
import type { RunFilter } from '#renderer/router.ts';

export interface RunRows {
  readonly shown: readonly RunView[];
  /** Belongs among the shown, newest first. */
  readonly waiting: readonly RunView[];
  /** There are more new ones than were asked for: to show them, the list begins anew. */
  readonly waitingMore: boolean;
}

/** The order of `runs.list`. */
export function newestFirst(a: RunView, b: RunView): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  if (a.id === b.id) return 0;
  return a.id < b.id ? 1 : -1;
}

export function matches(filter: RunFilter, run: RunView): boolean {
  return (
    (filter.workflowId === undefined || run.workflowId === filter.workflowId) &&
    (filter.status === undefined || run.status === filter.status)
  );
}

/**
 * Takes in fresh rows. Known ones change where they are, whatever the filter says: a row that
 * vanished would move the others. Unknown ones wait, if they belong between what is shown.
 */
export function takeIn(
  rows: RunRows,
  fresh: readonly RunView[],
  { filter, complete }: { filter: RunFilter; complete: boolean },
): RunRows {
  const byId = new Map(fresh.map((run) => [run.id, run]));
  const renew = (run: RunView): RunView => {
    const newer = byId.get(run.id);
    if (newer === undefined) return run;
    byId.delete(run.id);
    return newer;
  };
  const shown = rows.shown.map(renew);
  const waiting = rows.waiting.map(renew).filter((run) => matches(filter, run));
  const last = shown.at(-1);
  const arrived = [...byId.values()].filter(
    (run) => matches(filter, run) && (complete || last === undefined || newestFirst(run, last) < 0),
  );
  return { ...rows, shown, waiting: [...waiting, ...arrived].toSorted(newestFirst) };
}

/** What waits goes to its place, and what no longer matches leaves. */
export function settle(rows: RunRows, filter: RunFilter): RunRows {
  const staying = rows.shown.every((run) => matches(filter, run))
    ? rows.shown
    : rows.shown.filter((run) => matches(filter, run));
  if (rows.waiting.length === 0 && staying === rows.shown) return rows;
  return { shown: merge(rows.waiting, staying), waiting: [], waitingMore: false };
}

/** Of two lists in order, one list in order. */
function merge(a: readonly RunView[], b: readonly RunView[]): readonly RunView[] {
  const merged: RunView[] = [];
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
