// Normalization of payloads.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalise, normaliseText } from '#shared/inputs/normalise.ts';
import { redact } from '#shared/inputs/redact.ts';
import type { Json } from '#shared/json.ts';

/** The number of values including itself. */
const countValues = (value: Json): number =>
  value === null || typeof value !== 'object'
    ? 1
    : Object.values(value).reduce<number>((sum, member) => sum + countValues(member), 1);

describe('normalization', () => {
  test('[RD-8] normalizes Unicode, line ends, byte order marks and lone surrogates', () => {
    expect(normaliseText('e\u0301')).toBe('\u00e9');
    expect(normaliseText('a\r\nb\rc\nd\r\r\n')).toBe('a\nb\nc\nd\n\n');
    expect(normaliseText('\uFEFFa\uFEFF')).toBe('a\uFEFF');
    expect(normaliseText('a\uD800b')).toBe('a\uFFFDb');
  });

  test('[RD-8] sorts keys, so that equal values have equal texts', () => {
    const one = normalise({ b: ['x\r\n'], a: { d: 1, c: 'e\u0301' } });
    const other = normalise({ a: { c: '\u00e9', d: 1 }, b: ['x\n'] });
    expect(JSON.stringify(one)).toBe('{"a":{"c":"é","d":1},"b":["x\\n"]}');
    expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  });

  test('[RD-8] two spellings of one key stay two members', () => {
    const value = normalise({ 'e\u0301': 1, '\u00e9': 2, 'a\r\n': 3, 'a\r': 4 });
    expect(value).toEqual({ '\u00e9': 2, '\u00e9 2': 1, 'a\n': 4, 'a\n 2': 3 });
  });

  test('[RD-8] [RD-1] a compatibility character does not hide a secret', () => {
    // The kelvin sign becomes the letter K in NFC.
    const value = { 'api\u212Aey': 'x', text: ['A\u212AIA', 'ABCDEFGH12345678'].join('') };
    expect(redact(normalise(value), { paths: [] }).value).toEqual({
      apiKey: '•••(secret-name)',
      text: '•••(aws-key)',
    });
  });

  test('[RD-7] [RD-8] deep nesting does not overflow the stack, and __proto__ stays a plain key', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Json;
    const { redacted } = redact(normalise(deep), { paths: [] });
    expect(redacted.map(({ why }) => why)).toEqual(['nested-too-deep']);
    const value = normalise(JSON.parse('{"__proto__":{"a":1}}') as Json) as { a?: number };
    expect(value.a).toBeUndefined();
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1}}');
  });

  test('[RD-8] is idempotent for any value and loses no member', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('e\u0301', '\u00e9', '\r', '\n', '\r\n', '\u212A', 'K', '\uD800'),
    );
    const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.constantFrom<Json>(null, true, 1.5),
        fc.array(tie('value')),
        fc.array(fc.tuple(text, tie('value'))).map((members) => Object.fromEntries(members)),
      ),
    }));
    fc.assert(
      fc.property(anyJson, (value) => {
        const once = normalise(value);
        expect(JSON.stringify(normalise(once))).toBe(JSON.stringify(once));
        expect(countValues(once)).toBe(countValues(value));
        expect(JSON.stringify(once).isWellFormed()).toBe(true);
        expect(JSON.stringify(once)).not.toMatch(/\\r|\\ud8/);
      }),
      { numRuns: 500 },
    );
  });
});
