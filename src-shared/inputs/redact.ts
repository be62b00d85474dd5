// Removes secrets from an input before any other code sees it: by their format, by field name and by
// the paths that a person configured. Removals are listed by path and reason, never by value. Values
// that are nested too deep to check are removed as well.
import { z } from 'zod';
import { isCardNumber } from '#shared/inputs/card-number.ts';
import { ANY, formatPath, parsePath, type PathPart } from '#shared/inputs/json-path.ts';
import { isMarker, isSecretName, markerOf, redactText } from '#shared/inputs/secret-patterns.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import {
  MAX_INPUT_DEPTH,
  MAX_NAME_LENGTH,
  MAX_REDACT_PATHS,
  MAX_REDACTED_LISTED,
  MAX_SHOWN_KEY_LENGTH,
} from '#shared/limits.ts';

/** Configured paths such as `customer.iban` or `items.*.note`. */
export const redactPathsSchema = z
  .array(
    z
      .string()
      .max(MAX_NAME_LENGTH)
      .refine((text) => parsePath(text) !== undefined, 'is not a path such as "items.*.note"'),
  )
  .max(MAX_REDACT_PATHS);

export interface Redacted {
  readonly path: string;
  readonly why: string;
}

export interface RedactResult {
  readonly value: Json;
  /** In document order. If the list is full, its last entry counts the rest. */
  readonly redacted: readonly Redacted[];
}

/** Throws on an invalid path, because ignoring it would leave the value in place. */
export function redact(
  value: Json,
  { paths }: { readonly paths: readonly string[] },
): RedactResult {
  const redaction = new Redaction();
  const redacted = redaction.redact(value, paths.map(readPath));
  return { value: redacted, redacted: redaction.list() };
}

function readPath(text: string): PathPart[] {
  const parts = parsePath(text);
  if (!parts) throw new Error(`The redaction path ${JSON.stringify(text)} is invalid.`);
  return parts;
}

class Redaction {
  readonly #listed: Redacted[] = [];
  readonly #at: (string | number)[] = [];
  #more = 0;

  redact(value: Json, named: readonly PathPart[][]): Json {
    if (named.some((rest) => rest.length === 0)) return this.#whole(value, 'named-path');
    if (typeof value === 'string') return redactText(value, (why) => this.#record(why));
    if (typeof value === 'number') return this.#number(value);
    if (typeof value !== 'object' || value === null) return value;
    if (this.#at.length >= MAX_INPUT_DEPTH) return this.#whole(value, 'nested-too-deep');
    return Array.isArray(value) ? this.#array(value, named) : this.#object(value, named);
  }

  list(): readonly Redacted[] {
    if (this.#more === 0) return this.#listed;
    return [...this.#listed, { path: '$', why: `and ${this.#more} more` }];
  }

  #array(items: readonly Json[], named: readonly PathPart[][]): Json {
    return items.map((item, index) =>
      this.#inside(index, () => this.redact(item, below(named, String(index)))),
    );
  }

  #object(object: JsonObject, named: readonly PathPart[][]): Json {
    const members = new Map<string, Json>();
    for (const [key, member] of Object.entries(object)) {
      // Code that copies the object would treat this key as its prototype.
      if (key === '__proto__') {
        this.#inside(key, () => this.#record('key-not-kept'));
        continue;
      }
      const shown = this.#key(key, members);
      const rest = below(named, key);
      members.set(
        shown,
        this.#inside(shown, () => {
          const isNamed = rest.some((path) => path.length === 0);
          if (!isNamed && isSecretName(shown)) return this.#whole(member, 'secret-name');
          return this.redact(member, rest);
        }),
      );
    }
    return Object.fromEntries(members);
  }

  /** Redacts secrets in keys. Keys that become equal get a number. */
  #key(key: string, taken: ReadonlyMap<string, Json>): string {
    const kinds: string[] = [];
    const redacted = redactText(key, (why) => kinds.push(why));
    let free = redacted;
    for (let count = 2; taken.has(free); count += 1) free = `${redacted} ${count}`;
    this.#inside(free, () => kinds.forEach((why) => this.#record(`${why} as key`)));
    return free;
  }

  #number(value: number): Json {
    if (!Number.isSafeInteger(value) || !isCardNumber(String(value))) return value;
    return this.#whole(value, 'card-number');
  }

  /** Leaves empty values and existing markers unchanged. */
  #whole(value: Json, why: string): Json {
    if (value === null || value === '' || (why === 'secret-name' && typeof value === 'boolean')) {
      return value;
    }
    if (typeof value === 'string' && isMarker(value)) return value;
    this.#record(why);
    return markerOf(why);
  }

  #inside<Result>(part: string | number, work: () => Result): Result {
    this.#at.push(part);
    try {
      return work();
    } finally {
      this.#at.pop();
    }
  }

  #record(why: string): void {
    if (this.#listed.length === MAX_REDACTED_LISTED) this.#more += 1;
    else this.#listed.push({ path: formatPath(this.#at.map(shorten)), why });
  }
}

/** The rest of the paths that match this key. */
function below(named: readonly PathPart[][], key: string): PathPart[][] {
  return named.filter(([first]) => first === ANY || first === key).map((path) => path.slice(1));
}

function shorten(part: string | number): string | number {
  if (typeof part === 'number' || part.length <= MAX_SHOWN_KEY_LENGTH) return part;
  return `${part.slice(0, MAX_SHOWN_KEY_LENGTH)}…`.toWellFormed();
}
