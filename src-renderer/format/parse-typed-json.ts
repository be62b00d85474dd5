// Parses typed JSON. Empty text means null.
import { parseExactJson } from '#shared/exact-json.ts';
import type { Json } from '#shared/json.ts';

export type TypedJson = { readonly ok: true; readonly value: Json } | { readonly ok: false };

export function parseTypedJson(text: string): TypedJson {
  if (text.trim() === '') return { ok: true, value: null };
  try {
    return { ok: true, value: parseExactJson(text) };
  } catch {
    return { ok: false };
  }
}
