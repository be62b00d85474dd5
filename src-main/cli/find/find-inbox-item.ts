// The open thing that a person means by the beginning of its id.
import { shortId } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

export const OPEN_ID = 'its id, or the beginning of it, as "holdfast inbox" shows it';

/** Undefined: a whole id of something that is not open any more; the host knows what became of it. */
export function findOpen<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  text: string,
): Item | undefined {
  const fitting = items.filter((item) => idOf(item).startsWith(text));
  if (text !== '' && fitting.length === 1) return fitting[0];
  if (/^[\da-f]{32}$/.test(text)) return undefined;
  const message =
    fitting.length === 0
      ? `Nothing that waits has an id that begins with "${text}". See what waits with "holdfast inbox".`
      : `"${text}" is the beginning of more than one id: ${fitting.map((item) => shortId(idOf(item))).join(', ')}. Nothing was done. Write more of it.`;
  throw new ApiError({ type: 'not_found', message });
}
