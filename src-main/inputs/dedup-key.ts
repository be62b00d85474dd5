// The deduplication key of a delivery: deliveries with the same key are one input.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isExact } from '#shared/exact-json.ts';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import { parsePath, valueAt, type PathPart } from '#shared/inputs/json-path.ts';
import type { Json } from '#shared/json.ts';
import { MAX_DEDUP_KEY_LENGTH } from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';

export interface Delivery {
  readonly rawBody: Uint8Array;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined when it is not JSON. */
  readonly json: Json | undefined;
}

export type DedupKey =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly message: string };

/** Keys start with the kind of their rule, so keys of different rules never collide. */
export function dedupKeyOf(rule: DedupRule, delivery: Delivery): DedupKey {
  switch (rule.by) {
    case 'header':
      return byHeader(rule.name, delivery);
    case 'path':
      return byPath(rule.path, delivery);
    case 'body':
      return { ok: true, key: `body:${sha256(delivery.rawBody)}` };
    default:
      return unreachable(rule);
  }
}

function byHeader(name: string, { headers }: Delivery): DedupKey {
  const value = headers[name.toLowerCase()];
  const text = (Array.isArray(value) ? value.join(', ') : (value ?? '')).trim();
  if (text === '') {
    return refuse(`This hook deduplicates by the header "${name}", which is missing.`);
  }
  return { ok: true, key: `header:${short(text)}` };
}

function byPath(path: string, { rawBody, json }: Delivery): DedupKey {
  const parts = parsePath(path);
  if (!parts) return refuse(`The path "${path}" of this hook is not valid.`);
  const value = json === undefined ? undefined : valueAt(json, parts);
  // Deliveries without an id would all become one input.
  if (value === undefined || value === null || value === '' || typeof value === 'object') {
    return refuse(
      `This hook deduplicates by "${path}" of the body, which is not a text or a number there.`,
    );
  }
  // Encoded as JSON, because the number 1 and the text "1" are different ids.
  const id = isSentAsNumber(rawBody, parts, value) ? value : JSON.stringify(value);
  return { ok: true, key: `path:${short(id)}` };
}

/** Whether this text was a number that JavaScript can't hold. */
function isSentAsNumber(
  rawBody: Uint8Array,
  path: readonly PathPart[],
  value: Json,
): value is string {
  if (typeof value !== 'string' || !/^-?\d/.test(value) || isExact(value)) return false;
  const sent = JSON.parse(new TextDecoder().decode(rawBody)) as Json;
  return typeof valueAt(sent, path) === 'number';
}

/** A value that is too long is replaced by its hash. */
function short(text: string): string {
  return text.length <= MAX_DEDUP_KEY_LENGTH ? `=${text}` : `#${sha256(text)}`;
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function refuse(what: string): DedupKey {
  return {
    ok: false,
    message: `${what} Nothing was saved. Add it to the request, or change how the hook deduplicates.`,
  };
}
