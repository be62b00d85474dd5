// What a feed message means to one table.
import type { FeedMessage, FeedTable } from '#shared/api/feed.ts';

/** Up to here rows are asked for one by one; beyond, a page costs less. */
export const MAX_SINGLE_FETCHES = 12;

/** The ids it names, 'many' when all that is shown may be old, or null when it is not concerned. */
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
