// Normalises payloads before redaction, so that equal payloads have equal hashes and another
// spelling of the same letters does not evade a secret pattern.
import type { Json } from '#shared/json.ts';
import { MAX_INPUT_DEPTH } from '#shared/limits.ts';

/** Unicode NFC, line ends \n, no byte order mark, no lone surrogates. */
export function normaliseText(text: string): string {
  return text
    .replace(/^\uFEFF+/, '')
    .replaceAll(/\r\n?/g, '\n')
    .toWellFormed()
    .normalize('NFC');
}

/** Normalises texts and keys, and sorts keys. Values below the depth limit are left to redaction. */
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
    // Two spellings of one key stay two members.
    let free = plain;
    for (let count = 2; isTaken(free, key); count += 1) free = `${plain} ${count}`;
    members.set(free, normaliseWithin(value[key] as Json, depth + 1));
  }
  return Object.fromEntries([...members].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** One source of an enriched input: its identity, when it was received, and a hash of its bytes. */
export interface SourceEntry {
  readonly source: string;
  readonly type: string;
  readonly id: string;
  readonly receivedAt: number;
  readonly bytes: number;
  readonly sha256: string;
}
