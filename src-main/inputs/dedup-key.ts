// The key by which a delivery that comes twice is known as one input.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { DedupRule } from '#shared/inputs/dedup-key.ts';
import { parsePath, valueAt } from '#shared/inputs/json-path.ts';
import type { Json } from '#shared/json.ts';
import { MAX_DEDUP_KEY_LENGTH } from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';

export interface Delivery {
  readonly rawBody: Uint8Array;
  readonly headers: IncomingHttpHeaders;
  /** The body, where it is JSON. */
  readonly json: Json | undefined;
}

export type DedupKey =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly message: string };

/** The keys of different rules never meet: each begins with its kind. */
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
    return refuse(`This hook tells inputs apart by the header "${name}", and it is not there.`);
  }
  return { ok: true, key: `header:${short(text)}` };
}

function byPath(path: string, { json }: Delivery): DedupKey {
  const parts = parsePath(path);
  if (!parts) return refuse(`The path "${path}" of this hook cannot be read.`);
  const value = json === undefined ? undefined : valueAt(json, parts);
  // An empty or missing id would make one input of everything that has none.
  if (value === undefined || value === null || value === '' || typeof value === 'object') {
    return refuse(
      `This hook tells inputs apart by "${path}" of the body, and there is no text or number.`,
    );
  }
  // As JSON: the number 1 and the text "1" are two ids.
  return { ok: true, key: `path:${short(JSON.stringify(value))}` };
}

/** What is too long to be a key is told apart by its hash. */
function short(text: string): string {
  return text.length <= MAX_DEDUP_KEY_LENGTH ? `=${text}` : `#${sha256(text)}`;
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function refuse(what: string): DedupKey {
  return {
    ok: false,
    message: `${what} Nothing was taken in. Send it, or let the hook tell inputs apart by something else.`,
  };
}
