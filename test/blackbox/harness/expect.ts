// Assertions of the suite. A failure says what was expected and what was seen.
import { isDeepStrictEqual, inspect } from 'node:util';

const MAX_SHOWN = 1200;

export class Mismatch extends Error {
  constructor(what: string, expected: string, saw: unknown) {
    super(`${what}\n  expected: ${expected}\n  saw:      ${show(saw)}`);
    this.name = 'Mismatch';
  }
}

/** A scenario that can't run on this machine, with the reason. */
export class NotPossibleHere extends Error {}

export function expectSame(what: string, saw: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(saw, expected)) throw new Mismatch(what, show(expected), saw);
}

export function expectThat(what: string, holds: boolean, saw: unknown): void {
  if (!holds) throw new Mismatch(what, 'as said', saw);
}

export function expectText(what: string, saw: string, pattern: RegExp | string): void {
  const fits = typeof pattern === 'string' ? saw.includes(pattern) : pattern.test(saw);
  if (!fits) throw new Mismatch(what, `text with ${String(pattern)}`, saw);
}

export function expectNoText(what: string, saw: string, pattern: RegExp | string): void {
  const fits = typeof pattern === 'string' ? saw.includes(pattern) : pattern.test(saw);
  if (fits) throw new Mismatch(what, `text without ${String(pattern)}`, saw);
}

export function show(value: unknown): string {
  const text =
    typeof value === 'string'
      ? JSON.stringify(value)
      : inspect(value, { depth: 6, breakLength: 100 });
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
