// Keyset pages: a cursor names the last row seen, so the cost of a page never grows with how far
// in it is, and rows that come or go never shift it.

export interface Page {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** What the caller sent as `after` was not made by us. */
export class BadCursor extends Error {
  constructor(cursor: string) {
    super(`"${cursor}" is not a place in this list. Ask for the first page without "after".`);
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
