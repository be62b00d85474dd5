// The sandbox's description of a default export: values as JSON, functions by kind. Not parsed with a
// schema, which would drop a member called "__proto__" instead of refusing it.
import type { Json, JsonObject } from '#shared/json.ts';

export interface DescribedHandler {
  /** The other fields are filled only for `object`. */
  readonly kind: string;
  /** The kind of run, prepare, mutate and next, if present. */
  readonly functions: { readonly [name: string]: Json };
  /** The source of these functions. */
  readonly texts: { readonly [name: string]: Json };
  readonly rest: JsonObject;
}

export interface Description {
  readonly rest: JsonObject;
  /** Unchecked: `checkGraph` reports anything but an object of handlers. */
  readonly producers: Json | undefined;
  readonly consumers: Json | undefined;
}

/** Returns text that names the kind of the default export if it is not an object. */
export function readDescription(value: Json): Description | string {
  if (!isObject(value)) return 'an object with its own toJSON()';
  const { kind, rest, producers, consumers } = value;
  if (kind !== 'object') return typeof kind === 'string' ? kind : 'unknown';
  return isObject(rest) ? { rest, producers, consumers } : 'unknown';
}

export function readHandler(value: Json): DescribedHandler {
  const { kind, functions, texts, rest } = isObject(value) ? value : {};
  return kind === 'object' && isObject(functions) && isObject(texts) && isObject(rest)
    ? { kind, functions, texts, rest }
    : { kind: 'unknown', functions: {}, texts: {}, rest: {} };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
