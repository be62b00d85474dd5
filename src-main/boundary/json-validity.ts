// What no schema looks at, in any part of an input: what a parser could not walk, a database could
// not keep, or a copy would lose without a word. It goes no deeper than what it allows.
import { MAX_INPUT_DEPTH } from '#shared/limits.ts';

/** What is wrong with the input as a whole, or null. */
export function inputFlaw(input: unknown): string | null {
  return flawAt(input, 0);
}

function flawAt(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? null : HALF_A_CHARACTER;
  if (typeof value !== 'object' || value === null) return null;
  if (depth === MAX_INPUT_DEPTH) return `is nested deeper than ${MAX_INPUT_DEPTH} levels`;
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed()) return HALF_A_CHARACTER;
    if (key === '__proto__') return 'has a key named "__proto__", which cannot be kept';
    const flaw = flawAt((value as { readonly [key: string]: unknown })[key], depth + 1);
    if (flaw !== null) return flaw;
  }
  return null;
}

const HALF_A_CHARACTER = 'has text with half a character (a lone surrogate), which cannot be kept';
