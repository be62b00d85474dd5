// Finds an inbox item by an id prefix.
import { shortId } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

export const INBOX_ID_HELP = 'Id shown by "holdfast inbox", or the beginning of it';

/** Undefined for a full id that is no longer in the inbox: the host explains what happened to it. */
export function findInboxItem<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  text: string,
): Item | undefined {
  const matches = items.filter((item) => idOf(item).startsWith(text));
  if (text !== '' && matches.length === 1) return matches[0];
  if (/^[\da-f]{32}$/.test(text)) return undefined;
  const message =
    matches.length === 0
      ? `No inbox item has an id that begins with "${text}". Nothing was changed. See "holdfast inbox".`
      : `"${text}" matches more than one id: ${matches.map((item) => shortId(idOf(item))).join(', ')}. Nothing was changed. Use more of the id.`;
  throw new ApiError({ type: 'not_found', message });
}
