// Keyset pagination: a cursor names the last row of a page. Every page costs the same, and rows that
// are added or removed don't shift it.

export interface Page {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The caller's `after` is not a cursor of this list. */
export class BadCursor extends Error {
  constructor(cursor: string) {
    super(`"${cursor}" is not a valid cursor. Request the first page without "after".`);
    this.name = 'BadCursor';
  }
}

export function encodeCursor(
  rows: readonly { readonly createdAt: number; readonly id: string }[],
  limit: number,
): string | null {
  const last = rows.at(-1);
  return last && rows.length === limit ? `${last.createdAt}.${last.id}` : null;
}

export function decodeCursor(cursor: string): [createdAt: number, id: string] {
  const match = /^(\d{1,15})\.(.+)$/.exec(cursor);
  if (!match?.[1] || !match[2]) throw new BadCursor(cursor);
  return [Number(match[1]), match[2]];
}

/** The values of a condition `(created_at, id) < (?, ?)`; undefined for the first page. */
export function placeAfter({ after }: Page): [createdAt: number, id: string] | undefined {
  return after === undefined ? undefined : decodeCursor(after);
}

/** The cursor of a list that is ordered by id alone. */
export function lastId(ids: readonly string[], limit: number): string | null {
  return ids.length === limit ? (ids.at(-1) ?? null) : null;
}
