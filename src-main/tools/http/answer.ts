// The response as a workflow sees it: status, headers, and the body as JSON, text or bytes.
import { inputFlaw } from '#main/boundary/json-validity.ts';
import type { Answer } from '#main/tools/http/exchange.ts';
import { MAX_EXCERPT_BYTES } from '#main/tools/limits.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import type { Json, JsonObject } from '#shared/json.ts';

export function resultOf({ status, headers, body, tooLong }: Answer): JsonObject {
  const head = { status, headers: { ...headers } };
  if (tooLong) {
    const start = body.subarray(0, MAX_EXCERPT_BYTES).toString('utf8');
    return {
      ...head,
      text: start,
      truncated: true,
      note: `The response was longer than ${body.length} bytes and was truncated.`,
    };
  }
  if (body.length === 0) return { ...head, text: '' };
  const text = textOf(body);
  if (text === null) return { ...head, base64: body.toString('base64') };
  const json = jsonOf(text);
  return json === undefined ? { ...head, text } : { ...head, json };
}

/** JSON that can't be stored exactly stays text. */
export function jsonOf(text: string): Json | undefined {
  try {
    const value = parseExactJson(text);
    return inputFlaw(value) === null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The value at names joined by dots. */
export function valueAt(json: Json | undefined, path: string): Json | undefined {
  let value = json;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as { [key: string]: Json })[name];
  }
  return value;
}

/** A short excerpt of a response for an error message. */
export function excerptOf({ body }: Answer): string {
  const text = body.subarray(0, 400).toString('utf8');
  const words = text.replaceAll(/<[^>]*>|[\s\p{Cc}]+/gu, ' ').trim();
  return words === '' ? '' : ` Response: "${words.slice(0, 200)}".`;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function textOf(body: Buffer): string | null {
  try {
    return strictUtf8.decode(body);
  } catch {
    return null;
  }
}
