import { InvalidArgumentError } from 'commander';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

export const LIMIT_HELP = `Maximum number of rows, up to ${MAX_PAGE_SIZE}`;

/** Parses `--limit` of commands that list. */
export function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_PAGE_SIZE) return limit;
  throw new InvalidArgumentError(`Must be a whole number from 1 to ${MAX_PAGE_SIZE}.`);
}
