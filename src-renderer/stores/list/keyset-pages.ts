// The keyset pages that the shown rows came in: which of them the reader sees, and which are old.
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import type { ListRule, Row } from '#renderer/stores/list/list-rows.ts';

/** Enough for two screens; small enough for the first rows to be there at once. */
export const FIRST_PAGE_SIZE = 64;
/** Later ones are fetched while the reader reads: fewer, larger answers. */
export const NEXT_PAGE_SIZE = MAX_PAGE_SIZE;

export interface KeysetPage<R extends Row> {
  /** The cursor to ask with; undefined for the newest rows. */
  readonly after: string | undefined;
  /** The first row it brought. */
  readonly first: R | undefined;
  /** Its rows may have changed since. */
  readonly isStale: boolean;
}

export const FIRST_PAGE: KeysetPage<never> = { after: undefined, first: undefined, isStale: true };

export interface ListResponse<R extends Row> {
  readonly rows: readonly R[];
  readonly next: string | null;
}

export interface RowsInView<R extends Row> {
  readonly first: R | undefined;
  readonly last: R | undefined;
}

/** The head always counts as seen: that is where new rows come. */
export function stalePageInView<R extends Row>(
  pages: readonly KeysetPage<R>[],
  view: RowsInView<R>,
  rule: ListRule<R>,
): KeysetPage<R> | undefined {
  return pages.find(
    (page, index) => page.isStale && (index === 0 || isPageInView(pages, index, view, rule)),
  );
}

function isPageInView<R extends Row>(
  pages: readonly KeysetPage<R>[],
  index: number,
  { first, last }: RowsInView<R>,
  { newestFirst }: ListRule<R>,
): boolean {
  const begin = pages[index]?.first;
  const end = pages[index + 1]?.first;
  if (!first || !last || !begin) return false;
  return newestFirst(begin, last) <= 0 && (end === undefined || newestFirst(first, end) < 0);
}

/** Those shown rows that this page, asked for again, should have brought and did not. */
export function missingFrom<R extends Row>(
  page: KeysetPage<R>,
  answer: ListResponse<R>,
  shown: readonly R[],
  { newestFirst }: ListRule<R>,
): readonly R[] {
  const brought = new Set(answer.rows.map(({ id }) => id));
  const last = answer.rows.at(-1);
  return shown.filter(
    (row) =>
      !brought.has(row.id) &&
      (page.first === undefined || page.after === undefined || newestFirst(page.first, row) <= 0) &&
      (answer.next === null || (last !== undefined && newestFirst(row, last) < 0)),
  );
}
