// Records the merged rows that this device can't act on, in the transaction of the merge, and removes
// the record of rows that can be read again. Most frames have neither and cost one check per change.
import type { Database } from '#main/store/sqlite/database.ts';
import { checkRow, keyParts } from '#main/store/check-row.ts';
import type { RefusedRowStore } from '#main/store/tables/refused-rows.ts';
import { ROW_ITSELF } from '#main/sync/changes/change.ts';
import type { CheckedChange } from '#main/sync/changes/decode.ts';

interface Parts {
  readonly db: Database;
  readonly refusedRows: RefusedRowStore;
}

/** `changes` are merged; those of one row follow each other. */
export function checkMergedRows(
  parts: Parts,
  changes: readonly CheckedChange[],
  peerId: string,
): void {
  const isAnyRefused = !parts.refusedRows.isEmpty;
  let at = 0;
  while (at < changes.length) {
    const first = changes[at] as CheckedChange;
    let end = at + 1;
    while (changes[end]?.key === first.key) end += 1;
    if (isAnyRefused || isSuspicious(changes, at, end)) {
      checkRow(parts, first.table, keyParts(parts.db, first.key), peerId);
    }
    at = end;
  }
}

function isSuspicious(changes: readonly CheckedChange[], from: number, end: number): boolean {
  const first = changes[from] as CheckedChange;
  // Its key holds the epoch, which no shape covers.
  if (first.table === 'ownership_claims') return true;
  const needsFacts = first.schema.columns.has('facts') && first.column !== ROW_ITSELF;
  let hasFacts = !needsFacts;
  for (let index = from; index < end; index += 1) {
    const change = changes[index] as CheckedChange;
    if (!change.isReadable) return true;
    if (change.column === 'facts') hasFacts = true;
  }
  // Usually an update; otherwise a row whose facts no peer sent.
  return !hasFacts;
}
