// Views of rows that a peer may have written. One that can't be shown is left out of its list, with a
// line in the log; the inbox shows refused rows with their reason.
import type { Engine } from '#main/engine/engine.ts';
import { UnreadableRow } from '#main/store/sqlite/refused-set.ts';
import type { Stores } from '#main/store/stores.ts';
import { isStorageProblem } from '#main/store/sqlite/sqlite-errors.ts';

export function shownRows<Row, View>(
  { context: { log } }: Engine,
  rows: readonly Row[],
  toViews: (row: Row) => View | readonly View[],
): View[] {
  return rows.flatMap((row) => {
    try {
      return toViews(row);
    } catch (error) {
      if (isStorageProblem(error)) throw error;
      if (!(error instanceof UnreadableRow)) log.error({ err: error }, 'could not show a row');
      return [];
    }
  });
}

/** Reads data that a row refers to; returns `otherwise` if it can't be read. */
export function ifReadable<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableRow) return otherwise;
    throw error;
  }
}

/** The name of a workflow, or its id. */
export function nameOf({ workflows }: Pick<Stores, 'workflows'>, workflowId: string): string {
  return ifReadable(() => workflows.get(workflowId)?.name, undefined) ?? workflowId;
}
