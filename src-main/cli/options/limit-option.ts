import { InvalidArgumentError } from 'commander';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

/** For `--limit` of lists. */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_PAGE_SIZE) return limit;
  throw new InvalidArgumentError(`A limit is a whole number from 1 to ${MAX_PAGE_SIZE}.`);
}
