// Inputs made from the contract's own schemas: ones that fit, and ones spoilt in a single place.
// The walk is over the JSON Schema that zod gives of itself, so a new call is fuzzed without work.
import fc from 'fast-check';
import { z } from 'zod';

type Arb = fc.Arbitrary<unknown>;

interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: JsonSchema };
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [key: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Values that mean something to the host, by the key they stand under. */
export type Known = { readonly [key: string]: readonly unknown[] };

/** Inputs that fit the schema. */
export function fitting(schema: z.ZodType, known: Known = {}): Arb {
  const root = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  // White space that a schema trims away is all that JSON Schema cannot tell.
  return arbitraryOf(root, root, known, 0).filter((input) => schema.safeParse(input).success);
}

function arbitraryOf(node: JsonSchema, root: JsonSchema, known: Known, depth: number): Arb {
  if (node.$ref !== undefined) return arbitraryOf(resolve(node.$ref, root), root, known, depth);
  const into = (child: JsonSchema): Arb => arbitraryOf(child, root, known, depth + 1);
  const choices = node.anyOf ?? node.oneOf;
  if (choices) return fc.oneof(...shallowEnough(choices, depth).map(into));
  if (node.const !== undefined) return fc.constant(node.const);
  if (node.enum) return fc.constantFrom(...node.enum);
  if (Array.isArray(node.type)) return fc.oneof(...node.type.map((type) => into({ type })));
  switch (node.type) {
    case 'object':
      return node.properties ? objectOf(node, into, known) : recordOf(node, into);
    case 'array':
      return fc.array(into(node.items ?? {}), { maxLength: 3 });
    case 'string':
      return stringOf(node);
    case 'integer':
      return fc.integer({ min: node.minimum ?? -(2 ** 53) + 1, max: node.maximum ?? 2 ** 53 - 1 });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      if (isAnyJson(node)) return fc.jsonValue({ maxDepth: 4 });
      throw new Error(`The fuzzer does not know this schema: ${JSON.stringify(node)}`);
  }
}

/** Nothing is said of it, but perhaps what stands for it where it is left out. */
function isAnyJson(node: JsonSchema): boolean {
  return Object.keys(node).every((key) => key === 'default');
}

function resolve(ref: string, root: JsonSchema): JsonSchema {
  const found = root.$defs?.[ref.replace('#/$defs/', '')];
  if (!found) throw new Error(`There is no ${ref}.`);
  return found;
}

/** z.json() holds itself: somewhere it has to end. */
function shallowEnough(options: readonly JsonSchema[], depth: number): readonly JsonSchema[] {
  if (depth < 6) return options;
  return options.filter(({ type }) => type !== 'object' && type !== 'array');
}

function objectOf(node: JsonSchema, into: (child: JsonSchema) => Arb, known: Known): Arb {
  const members = Object.entries(node.properties ?? {}).map(([key, child]): [string, Arb] => {
    const values = known[key];
    if (!values || values.length === 0) return [key, into(child)];
    const meaningful = { arbitrary: fc.constantFrom(...values), weight: 4 };
    return [key, fc.oneof(meaningful, { arbitrary: into(child), weight: 1 })];
  });
  return fc.record(Object.fromEntries(members), { requiredKeys: [...(node.required ?? [])] });
}

function recordOf(node: JsonSchema, into: (child: JsonSchema) => Arb): Arb {
  const key = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...WORDS_OF_OBJECTS));
  const value =
    typeof node.additionalProperties === 'object' ? into(node.additionalProperties) : fc.anything();
  return fc.dictionary(key, value, { maxKeys: 3 });
}

const WORDS_OF_OBJECTS = ['constructor', 'toString', 'hasOwnProperty', 'prototype'];

function stringOf({ pattern, minLength = 0, maxLength = 1000 }: JsonSchema): Arb {
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).filter(fits);
  return fc
    .oneof(
      fc.string({ minLength, maxLength, unit: 'grapheme' }),
      fc.constantFrom(...WORDS_OF_OBJECTS, '__proto__', "'; DROP TABLE workflows; --", '\u0000'),
    )
    .filter(fits);
}

export const SPOILS = [
  'a key is missing',
  'a key is too many',
  'a key reaches for the prototype',
  'a value has another type',
  'a text is too long',
  'a number is out of range',
  'the nesting is too deep',
  'a text has half a character',
] as const;

export interface Spoilt {
  readonly how: (typeof SPOILS)[number];
  readonly input: unknown;
}

/** Never right, whatever the schema: the others may hit a place where they still fit. */
export const ALWAYS_WRONG: readonly Spoilt['how'][] = [
  'a key is too many',
  'a key reaches for the prototype',
  'the nesting is too deep',
  'a text has half a character',
];

/** Inputs that fitted, changed in one place. */
export function spoilt(schema: z.ZodType, known: Known = {}): fc.Arbitrary<Spoilt> {
  return fc
    .tuple(fitting(schema, known), fc.constantFrom(...SPOILS), fc.nat(), fc.nat())
    .map(([input, how, place, choice]) => ({ how, input: spoil(input, how, place, choice) }));
}

const OTHER_TYPES: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  '',
  'text',
  [],
  {},
  [[]],
  { toString: 1 },
  new Date(0),
  new Map(),
  10n,
];
const OUT_OF_RANGE: readonly unknown[] = [
  -1,
  0,
  -0,
  0.1,
  201,
  1001,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  1e308,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
];
const LENGTHS = [201, 2001, 100_000, 1_048_577];
const DEPTHS = [101, 1001, 3000, 100_000];

function spoil(input: unknown, how: Spoilt['how'], place: number, choice: number): unknown {
  const root = input as Record<string, unknown>;
  const keys = Object.keys(root);
  const key = keys[place % Math.max(keys.length, 1)] ?? 'none';
  const pick = <T>(values: readonly T[]): T => values[choice % values.length] as T;
  switch (how) {
    case 'a key is missing': {
      const { [key]: _, ...rest } = root;
      return rest;
    }
    case 'a key is too many':
      return { ...root, [pick(['more', 'constructor', 'toString', ' ', ''])]: pick([1, null, {}]) };
    case 'a key reaches for the prototype':
      // As JSON.parse makes it: an own key, at the top or inside.
      return JSON.parse(
        `{"__proto__":${pick(['1', 'null', '{"admin":true}'])},${JSON.stringify(root).slice(1)}`.replace(
          ',}',
          '}',
        ),
      );
    case 'a value has another type':
      return place % 7 === 0 ? pick(OTHER_TYPES) : { ...root, [key]: pick(OTHER_TYPES) };
    case 'a text is too long':
      return { ...root, [key]: 'é'.repeat(pick(LENGTHS)) };
    case 'a number is out of range':
      return { ...root, [key]: pick(OUT_OF_RANGE) };
    case 'the nesting is too deep':
      return { ...root, payload: { deep: nested(pick(DEPTHS)) } };
    case 'a text has half a character':
      return place % 3 === 0
        ? { ...root, [`half\udc00`]: 1 }
        : { ...root, [key]: pick(['\ud800', 'a\udfffb', '\udc00\ud800']) };
  }
}

export function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}
