// A tool's result as JSON that can be stored, synced and passed to a sandbox, or why it can't.
import { inputFlaw } from '#main/boundary/json-validity.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import type { Json } from '#shared/json.ts';

export type StorableResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly why: string };

export function toStorableResult(result: unknown, maxBytes: number): StorableResult {
  const text = textOf(result ?? null);
  if (text === undefined) return { ok: false, why: 'it is not valid JSON' };
  // A character takes at least one byte, so short results need no exact count.
  if (text.length > maxBytes || Buffer.byteLength(text) > maxBytes) {
    return { ok: false, why: `it is larger than the limit of ${maxBytes} bytes` };
  }
  const value = parseExactJson(text);
  const flaw = inputFlaw(value);
  return flaw === null ? { ok: true, value } : { ok: false, why: `it ${flaw}` };
}

function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // Cycles, BigInt, a toJSON that throws, nesting beyond the stack.
    return undefined;
  }
}
