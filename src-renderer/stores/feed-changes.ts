// Finds the rows of one table that a feed message changed.
import type { FeedMessage, FeedTable } from '#shared/api/feed.ts';

/** Up to this many rows are loaded one by one. Beyond that a page is cheaper. */
export const MAX_SINGLE_FETCHES = 12;

/** The named ids, `many` if everything may be stale, or null if the message isn't relevant. */
export function changedIds(
  message: FeedMessage,
  table: FeedTable,
): readonly string[] | 'many' | null {
  if (message.type !== 'changes') return 'many';
  let ids: string[] | null = null;
  for (const change of message.changes) {
    if (change.table !== table) continue;
    if (change.ids === 'many') return 'many';
    ids = [...(ids ?? []), ...change.ids];
  }
  return ids;
}

export function isChanged(message: FeedMessage, table: FeedTable, id: string): boolean {
  const ids = changedIds(message, table);
  return ids === 'many' || (ids?.includes(id) ?? false);
}
