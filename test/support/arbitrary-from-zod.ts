// Random inputs from the schemas of the API contract: valid ones, and ones made invalid in one place. They
// follow the JSON Schema that zod derives, so new calls are fuzzed automatically.
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

/** Values that exist in the host, by the name of their field. */
export type Known = { readonly [key: string]: readonly unknown[] };

/** Inputs that match the schema. A text whose pattern fast-check can't generate comes from `known`. */
export function validInputs(schema: z.ZodType, known: Known = {}): Arb {
  const root = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  // JSON Schema cannot express every rule, such as one that compares two fields.
  let rejected = 0;
  return arbitraryOf(root, root, known, 0).filter((input) => {
    if (schema.safeParse(input).success) return true;
    rejected += 1;
    if (rejected < MAX_REJECTED) return false;
    throw new Error(
      `Of ${MAX_REJECTED} generated inputs none or few were valid, the last one was ${JSON.stringify(input)}. Add valid values to \`known\`.`,
    );
  });
}

/** Without a limit, a schema that no generated input fits would make the test run for ever. */
const MAX_REJECTED = 100_000;

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
      throw new Error(`The fuzzer does not support this schema: ${JSON.stringify(node)}`);
  }
}

/** A schema without constraints; it may have a default. */
function isAnyJson(node: JsonSchema): boolean {
  return Object.keys(node).every((key) => key === 'default');
}

function resolve(ref: string, root: JsonSchema): JsonSchema {
  const found = root.$defs?.[ref.replace('#/$defs/', '')];
  if (!found) throw new Error(`The schema has no ${ref}.`);
  return found;
}

/** Ends the recursion of z.json(), which contains itself. */
function shallowEnough(options: readonly JsonSchema[], depth: number): readonly JsonSchema[] {
  if (depth < 6) return options;
  return options.filter(({ type }) => type !== 'object' && type !== 'array');
}

function objectOf(node: JsonSchema, into: (child: JsonSchema) => Arb, known: Known): Arb {
  const members = Object.entries(node.properties ?? {}).map(([key, child]): [string, Arb] => {
    const values = known[key];
    if (!values || values.length === 0) return [key, into(child)];
    if (!canGenerate(child)) return [key, fc.constantFrom(...values)];
    const meaningful = { arbitrary: fc.constantFrom(...values), weight: 4 };
    return [key, fc.oneof(meaningful, { arbitrary: into(child), weight: 1 })];
  });
  return fc.record(Object.fromEntries(members), { requiredKeys: [...(node.required ?? [])] });
}

/** fast-check knows no lookahead. */
function canGenerate({ pattern }: JsonSchema): boolean {
  return pattern?.includes('(?!') !== true;
}

function recordOf(node: JsonSchema, into: (child: JsonSchema) => Arb): Arb {
  const key = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(...OBJECT_PROPERTY_NAMES));
  const value =
    typeof node.additionalProperties === 'object' ? into(node.additionalProperties) : fc.anything();
  return fc.dictionary(key, value, { maxKeys: 3 });
}

const OBJECT_PROPERTY_NAMES = ['constructor', 'toString', 'hasOwnProperty', 'prototype'];

function stringOf({ pattern, minLength = 0, maxLength = 1000 }: JsonSchema): Arb {
  const fits = (text: string): boolean => text.length >= minLength && text.length <= maxLength;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).filter(fits);
  return fc
    .oneof(
      fc.string({ minLength, maxLength, unit: 'grapheme' }),
      fc.constantFrom(
        ...OBJECT_PROPERTY_NAMES,
        '__proto__',
        "'; DROP TABLE workflows; --",
        '\u0000',
      ),
    )
    .filter(fits);
}

export const FLAWS = [
  'a missing key',
  'an unknown key',
  'a __proto__ key',
  'a value of another type',
  'a long text',
  'an extreme number',
  'deep nesting',
  'a lone surrogate',
] as const;

export interface FlawedInput {
  readonly flaw: (typeof FLAWS)[number];
  readonly input: unknown;
}

/** Flaws that no schema accepts. With the others, an input may still be valid. */
export const ALWAYS_INVALID: readonly FlawedInput['flaw'][] = [
  'an unknown key',
  'a __proto__ key',
  'deep nesting',
  'a lone surrogate',
];

/** Valid inputs with one flaw added. */
export function flawedInputs(schema: z.ZodType, known: Known = {}): fc.Arbitrary<FlawedInput> {
  return fc
    .tuple(validInputs(schema, known), fc.constantFrom(...FLAWS), fc.nat(), fc.nat())
    .map(([input, flaw, place, choice]) => ({ flaw, input: addFlaw(input, flaw, place, choice) }));
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
const EXTREME_NUMBERS: readonly unknown[] = [
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

function addFlaw(
  input: unknown,
  flaw: FlawedInput['flaw'],
  place: number,
  choice: number,
): unknown {
  const root = input as Record<string, unknown>;
  const keys = Object.keys(root);
  const key = keys[place % Math.max(keys.length, 1)] ?? 'none';
  const pick = <T>(values: readonly T[]): T => values[choice % values.length] as T;
  switch (flaw) {
    case 'a missing key': {
      const { [key]: _, ...rest } = root;
      return rest;
    }
    case 'an unknown key':
      return { ...root, [pick(['more', 'constructor', 'toString', ' ', ''])]: pick([1, null, {}]) };
    case 'a __proto__ key':
      // JSON.parse makes it an own key.
      return JSON.parse(
        `{"__proto__":${pick(['1', 'null', '{"admin":true}'])},${JSON.stringify(root).slice(1)}`.replace(
          ',}',
          '}',
        ),
      );
    case 'a value of another type':
      return place % 7 === 0 ? pick(OTHER_TYPES) : { ...root, [key]: pick(OTHER_TYPES) };
    case 'a long text':
      return { ...root, [key]: 'é'.repeat(pick(LENGTHS)) };
    case 'an extreme number':
      return { ...root, [key]: pick(EXTREME_NUMBERS) };
    case 'deep nesting':
      return { ...root, payload: { deep: nested(pick(DEPTHS)) } };
    case 'a lone surrogate':
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
