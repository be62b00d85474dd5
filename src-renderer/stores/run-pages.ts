// The keyset pages that the shown rows came in: which of them the reader sees, and which are old.
import type { RunView } from '#shared/api/contract.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import { newestFirst } from '#renderer/stores/run-rows.ts';

/** Enough for two screens; small enough for the first rows to be there at once. */
export const RUNS_PAGE = 100;
/** Later ones are fetched while the reader reads: fewer, larger answers. */
export const NEXT_RUNS_PAGE = MAX_PAGE_SIZE;

export interface RunPage {
  /** The cursor to ask with; undefined for the newest runs. */
  readonly after: string | undefined;
  /** The first row it brought. */
  readonly first: RunView | undefined;
  /** Its rows may have changed since. */
  readonly stale: boolean;
}

export const HEAD: RunPage = { after: undefined, first: undefined, stale: true };

export interface RowsInView {
  readonly first: RunView | undefined;
  readonly last: RunView | undefined;
}

/** The head always counts as seen: that is where new runs come. */
export function stalePageInView(pages: readonly RunPage[], view: RowsInView): RunPage | undefined {
  return pages.find((page, index) => page.stale && (index === 0 || isSeen(pages, index, view)));
}

function isSeen(pages: readonly RunPage[], index: number, { first, last }: RowsInView): boolean {
  const begin = pages[index]?.first;
  const end = pages[index + 1]?.first;
  if (!first || !last || !begin) return false;
  return newestFirst(begin, last) <= 0 && (end === undefined || newestFirst(first, end) < 0);
}

/** Those shown rows that this page, asked for again, should have brought and did not. */
export function missingFrom(
  page: RunPage,
  answer: { readonly runs: readonly RunView[]; readonly next: string | null },
  shown: readonly RunView[],
): readonly RunView[] {
  const brought = new Set(answer.runs.map(({ id }) => id));
  const last = answer.runs.at(-1);
  return shown.filter(
    (run) =>
      !brought.has(run.id) &&
      (page.first === undefined || page.after === undefined || newestFirst(page.first, run) <= 0) &&
      (answer.next === null || (last !== undefined && newestFirst(run, last) < 0)),
  );
}
