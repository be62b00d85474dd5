// Checks one argument against its registry entry. Returns the text for the script, or the error as a
// phrase that follows "the argument NAME".
import { isExact } from '#shared/exact-json.ts';
import { wholePattern, type ArgSpec } from '#shared/runner/registry.ts';
import type { Json } from '#shared/json.ts';

export type CheckedArg =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly flaw: string };

export function checkArg(spec: ArgSpec, value: Json): CheckedArg {
  const text = textOf(spec, value);
  if (text === null) return flaw(wrongType(spec.type, value));
  if (spec.choices && !spec.choices.map(String).includes(text)) {
    return flaw(`must be one of ${spec.choices.join(', ')}`);
  }
  if (typeof value === 'number') return checkRange(spec, value, text);
  if (typeof value === 'string') return checkText(spec, text);
  return { ok: true, text };
}

function textOf({ type }: ArgSpec, value: Json): string | null {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : null;
    case 'integer':
      return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
    case 'string':
    case 'path':
      return typeof value === 'string' ? value : null;
  }
}

function checkRange({ min, max, ...spec }: ArgSpec, value: number, text: string): CheckedArg {
  if (min !== undefined && value < min) return flaw(`must be at least ${min}`);
  if (max !== undefined && value > max) return flaw(`must be at most ${max}`);
  return text.startsWith('-') ? dashed(spec, text) : { ok: true, text };
}

function checkText(spec: Omit<ArgSpec, 'min' | 'max'>, text: string): CheckedArg {
  if (text === '') return flaw('must not be empty');
  if (text.includes('\0')) return flaw('must not contain a NUL character');
  if (!text.isWellFormed()) return flaw('contains invalid Unicode');
  if (text.length > spec.maxLength) return flaw(`is longer than ${spec.maxLength} characters`);
  if (spec.pattern !== undefined && !wholePattern(spec.pattern)?.test(text)) {
    return flaw(`doesn't match the pattern ${spec.pattern}`);
  }
  return text.startsWith('-') && spec.type === 'string' ? dashed(spec, text) : { ok: true, text };
}

/** A script would read it as an option, unless it is joined to a flag. */
function dashed(spec: Pick<ArgSpec, 'allowDash' | 'style' | 'flag'>, text: string): CheckedArg {
  const isJoined = spec.flag !== undefined && spec.style === 'joined';
  return spec.allowDash || isJoined ? { ok: true, text } : flaw('must not begin with "-"');
}

function wrongType(type: ArgSpec['type'], value: Json): string {
  const isNumber = type === 'integer' || type === 'number';
  return isNumber && typeof value === 'string' && isInexact(value)
    ? `has too many digits for ${article(type)}; make it a string in the registry`
    : `must be ${article(type)}`;
}

/** A typed number. Text that is not a number, or not one that can be held, stays text. */
export function readNumber(typed: string): number | string {
  const number = Number(typed);
  return typed.trim() === '' || Number.isNaN(number) || isInexact(typed) ? typed : number;
}

function isInexact(typed: string): boolean {
  const number = typed.trim().replace(/^\+/, '');
  return /^-?[\d.]+(?:[eE][+-]?\d+)?$/.test(number) && !isExact(number);
}

function article(type: ArgSpec['type']): string {
  return type === 'integer' ? 'a whole number' : `a ${type}`;
}

function flaw(text: string): CheckedArg {
  return { ok: false, flaw: text };
}
