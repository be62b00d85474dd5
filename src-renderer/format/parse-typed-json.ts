// Parses typed JSON.
import { parseExactJson } from '#shared/exact-json.ts';
import type { Json } from '#shared/json.ts';

export type TypedJson = { readonly ok: true; readonly value: Json } | { readonly ok: false };

/** Empty text means null. */
export function parseTypedJson(text: string): TypedJson {
  const value = text.trim() === '' ? null : parseJson(text);
  return value === undefined ? { ok: false } : { ok: true, value };
}

/** Undefined for invalid JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}
