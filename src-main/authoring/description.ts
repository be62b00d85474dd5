// What the sandbox says of a file's default export: its values as JSON, its functions by kind.
// Read by hand, not by a schema: a member called "__proto__" must be seen to be refused.
import type { Json, JsonObject } from '#shared/json.ts';

export interface DescribedHandler {
  /** What it is: only an `object` has the rest. */
  readonly kind: string;
  /** Kind by name, of run, prepare, mutate and next where they are given. */
  readonly functions: { readonly [name: string]: Json };
  readonly rest: JsonObject;
}

export interface Description {
  readonly rest: JsonObject;
  /** As given: something else than an object of handlers is for the check to report. */
  readonly producers: Json | undefined;
  readonly consumers: Json | undefined;
}

/** A text is what the default export is instead of an object. */
export function readDescription(value: Json): Description | string {
  if (!isObject(value)) return 'something that changes how it is shown';
  const { kind, rest, producers, consumers } = value;
  if (kind !== 'object') return typeof kind === 'string' ? kind : 'unknown';
  return isObject(rest) ? { rest, producers, consumers } : 'unknown';
}

export function readHandler(value: Json): DescribedHandler {
  const { kind, functions, rest } = isObject(value) ? value : {};
  return kind === 'object' && isObject(functions) && isObject(rest)
    ? { kind, functions, rest }
    : { kind: 'unknown', functions: {}, rest: {} };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
