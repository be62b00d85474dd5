// The payload as workflows get it, and what it was made from. The same input always gives the same.
import type { Input } from '#main/store/trigger-events.ts';
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

/** Once more: the row may be that of a device which knows fewer patterns. */
export function sanitizeKept(input: Input, kept: Json): Sanitized {
  const { value, redacted } = sanitize(input, kept);
  return { value, redacted: [...input.redacted, ...redacted] };
}

export function sourcesOf(input: Input): SourceEntry[] {
  const { source, type, externalId, createdAt, bytes, sha256 } = input;
  return [{ source, type, id: externalId, receivedAt: createdAt, bytes, sha256 }];
}

/** By which rule it was sanitized: the same for all inputs of a hook. */
export function policyOf(input: Input): Json {
  return { version: 1, normalised: true, patterns: true, paths: [...input.redactPaths] };
}
