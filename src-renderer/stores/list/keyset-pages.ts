// Keyset pages of the shown rows: which are visible, and which are stale.
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import type { ListRule, Row } from '#renderer/stores/list/list-rows.ts';

/** Enough for two screens, small enough to appear immediately. */
export const FIRST_PAGE_SIZE = 64;
/** Later pages load in the background, so fewer and larger ones are better. */
export const NEXT_PAGE_SIZE = MAX_PAGE_SIZE;

export interface KeysetPage<R extends Row> {
  /** Cursor of the page; undefined for the first one. */
  readonly after: string | undefined;
  /** First row of the page. */
  readonly first: R | undefined;
  /** Its rows may have changed. */
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

/** The first page always counts as visible, because new rows appear there. */
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

/** Shown rows that a reloaded page should contain but doesn't. */
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
