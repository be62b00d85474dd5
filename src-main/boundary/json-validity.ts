// Checks JSON for what schemas miss: excessive depth, which overflows parsers; lone surrogates, which
// SQLite cannot store; and `__proto__` keys, which copies lose silently.
import { MAX_INPUT_DEPTH } from '#shared/limits.ts';

/** A description of the first problem, or null. */
export function inputFlaw(input: unknown): string | null {
  return flawAt(input, 0);
}

function flawAt(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : LONE_SURROGATE;
  if (typeof value !== 'object' || value === null) return null;
  if (depth === MAX_INPUT_DEPTH) return `is nested deeper than ${MAX_INPUT_DEPTH} levels`;
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return LONE_SURROGATE;
    if (key === '__proto__') return `has a key named "__proto__", which can't be stored`;
    const flaw = flawAt((value as { readonly [key: string]: unknown })[key], depth + 1);
    if (flaw !== null) return flaw;
  }
  return null;
}

const LONE_SURROGATE = "has text with half a character (a lone surrogate), which can't be stored";
