import { InvalidArgumentError } from 'commander';

/** Parses a whole number of at least 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a whole number of at least 1.');
}
