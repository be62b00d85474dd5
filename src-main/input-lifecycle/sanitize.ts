// Redaction and normalisation of payloads, and the records that describe them. Deterministic: the
// same input always gives the same result.
import type { Input } from '#main/store/tables/trigger-events.ts';
import { normalise, type SourceEntry } from '#shared/inputs/normalise.ts';
import { redact, type Redacted } from '#shared/inputs/redact.ts';
import type { Json } from '#shared/json.ts';

export interface Sanitized {
  readonly value: Json;
  readonly redacted: readonly Redacted[];
}

export function sanitize({ redactPaths }: Pick<Input, 'redactPaths'>, raw: Json): Sanitized {
  return redact(normalise(raw), { paths: [...redactPaths] });
}

/**
 * The device that received the input sanitized it before storing it. Rows merged from a peer are
 * sanitized again, because the peer's version may know fewer secret patterns.
 */
export function sanitizedPayload(input: Input, stored: Json, deviceId: string): Sanitized {
  if (input.deviceId === deviceId) return { value: stored, redacted: input.redacted };
  const { value, redacted } = sanitize(input, stored);
  return { value, redacted: [...input.redacted, ...redacted] };
}

export function sourcesOf(input: Input): SourceEntry[] {
  const { source, type, externalId, createdAt, bytes, sha256 } = input;
  return [{ source, type, id: externalId, receivedAt: createdAt, bytes, sha256 }];
}
