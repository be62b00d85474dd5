// One form for what came in, whoever sent it: so that equal things have equal hashes, and a
// pattern cannot be evaded by another spelling of the same letters. Comes before redaction.
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { id, millis } from '#shared/api/fields.ts';
import type { Json } from '#shared/json.ts';
import { MAX_INPUT_DEPTH } from '#shared/limits.ts';

/** Unicode NFC, lines that end with \n, no byte order mark, no half characters. */
export function normaliseText(text: string): string {
  return text
    .replace(/^\uFEFF+/, '')
    .replaceAll(/\r\n?/g, '\n')
    .toWellFormed()
    .normalize('NFC');
}

/**
 * Texts and keys normalised, keys in order. What lies deeper than an input may is left as it is:
 * redaction takes it out.
 */
export function normalise(value: Json): Json {
  return normaliseWithin(value, 0);
}

function normaliseWithin(value: Json, depth: number): Json {
  if (typeof value === 'string') return normaliseText(value);
  if (typeof value !== 'object' || value === null || depth >= MAX_INPUT_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => normaliseWithin(item, depth + 1));
  const members = new Map<string, Json>();
  const isTaken = (name: string, key: string): boolean =>
    members.has(name) || (name !== key && Object.hasOwn(value, name));
  for (const key of Object.keys(value).toSorted()) {
    const plain = normaliseText(key);
    // Two spellings of one key are two members.
    let free = plain;
    for (let count = 2; isTaken(free, key); count += 1) free = `${plain} ${count}`;
    members.set(free, normaliseWithin(value[key] as Json, depth + 1));
  }
  return Object.fromEntries([...members].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** Names in lower case and in order, values without white space around them. */
export function normaliseHeaders(headers: {
  readonly [name: string]: string | readonly string[] | undefined;
}): { [name: string]: string } {
  const named = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const key = name.trim().toLowerCase();
    const texts = (typeof value === 'string' ? [value] : value).map((text) =>
      normaliseText(text).trim(),
    );
    const known = named.get(key);
    named.set(key, [...(known === undefined ? [] : [known]), ...texts].join(', '));
  }
  return Object.fromEntries([...named].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What an enriched input was made from: which thing, when, and a hash of just what came. */
export const sourceEntrySchema = z.strictObject({
  source: id,
  type: id,
  id,
  receivedAt: millis,
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type SourceEntry = z.infer<typeof sourceEntrySchema>;

export function sourceEntry(
  from: Pick<SourceEntry, 'source' | 'type' | 'id' | 'receivedAt'>,
  content: Uint8Array,
): SourceEntry {
  const { source, type, id: sourceId, receivedAt } = from;
  const hash = bytesToHex(sha256(content));
  return { source, type, id: sourceId, receivedAt, bytes: content.length, sha256: hash };
}
