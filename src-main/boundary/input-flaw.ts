// What no schema looks at, in any part of an input: what a parser could not walk, a database could
// not keep, or a copy would lose without a word. Without recursion, so that depth cannot break it.
import { MAX_INPUT_DEPTH } from '#shared/limits.ts';

/** What is wrong with the input as a whole, or null. */
export function inputFlaw(input: unknown): string | null {
  const rest: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }];
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    const { value, depth } = part;
    if (typeof value === 'string' && !value.isWellFormed()) return HALF_A_CHARACTER;
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_INPUT_DEPTH) return `is nested deeper than ${MAX_INPUT_DEPTH} levels`;
    for (const [key, member] of Object.entries(value)) {
      if (!key.isWellFormed()) return HALF_A_CHARACTER;
      if (key === '__proto__') return 'has a key named "__proto__", which cannot be kept';
      rest.push({ value: member, depth: depth + 1 });
    }
  }
  return null;
}

const HALF_A_CHARACTER = 'has text with half a character (a lone surrogate), which cannot be kept';
