// Deduplication keys of deliveries, and the JSON paths they use.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dedupKeyOf } from '#main/inputs/dedup-key.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { dedupRuleSchema, type DedupRule } from '#shared/inputs/dedup-key.ts';
import { ANY, formatPath, parsePath, valueAt } from '#shared/inputs/json-path.ts';
import type { Json } from '#shared/json.ts';

function key(
  rule: DedupRule,
  json: Json,
  headers: { readonly [name: string]: string } = {},
): string {
  const made = dedupKeyOf(rule, { rawBody: Buffer.from(JSON.stringify(json)), headers, json });
  if (!made.ok) expect(made.message).toMatch(/Nothing was saved\./);
  return made.ok ? made.key : 'none';
}

describe('dedupKeyOf', () => {
  test('[SG-8] a header rule uses the trimmed value and ignores the case of the name', () => {
    const rule = dedupRuleSchema.parse({ by: 'header', name: 'X-GitHub-Delivery' });
    expect(rule).toEqual({ by: 'header', name: 'x-github-delivery' });
    expect(key(rule, 1, { 'x-github-delivery': ' a ' })).toBe('header:=a');
    expect(key(rule, 2, { 'x-github-delivery': 'a' })).toBe('header:=a');
    expect(key(rule, 1, { 'x-github-delivery': 'b' })).toBe('header:=b');
    expect(key(rule, 1)).toBe('none');
    expect(key(rule, 1, { 'x-github-delivery': '  ' })).toBe('none');
  });

  test('[SG-8] a path rule distinguishes types and refuses missing, empty and object values', () => {
    const rule: DedupRule = { by: 'path', path: 'data.items[1].id' };
    const body = (id: Json): Json => ({ data: { items: [{}, { id }] } });
    expect(key(rule, body('a'))).toBe('path:="a"');
    expect(key(rule, body(1))).not.toBe(key(rule, body('1')));
    expect(key(rule, body(false))).toBe('path:=false');
    for (const nothing of [null, '', {}, [], { id: 1 }])
      expect(key(rule, body(nothing))).toBe('none');
    for (const other of [null, 1, [], { data: { items: { 1: 'x' } } }]) {
      expect(key(rule, other)).toBe('none');
    }
    const made = dedupKeyOf(rule, {
      rawBody: Buffer.from('no json'),
      headers: {},
      json: undefined,
    });
    expect(made.ok).toBe(false);
  });

  test('[NU-3] a path rule tells a number that arrives as text from a text of the same digits', () => {
    const keyOf = (body: string): string => {
      const made = dedupKeyOf(
        { by: 'path', path: 'id' },
        { rawBody: Buffer.from(body), headers: {}, json: parseExactJson(body) },
      );
      return made.ok ? made.key : 'none';
    };
    expect(keyOf('{"id":9007199254740993}')).toBe('path:=9007199254740993');
    expect(keyOf('{"id":"9007199254740993"}')).toBe('path:="9007199254740993"');
    expect(keyOf('{"id":"order 9007199254740993"}')).toBe('path:="order 9007199254740993"');
  });

  test('[SG-8] a path rule ignores inherited properties and the length of arrays', () => {
    for (const path of ['constructor.name', '__proto__', 'toString']) {
      expect(key({ by: 'path', path }, {})).toBe('none');
    }
    expect(key({ by: 'path', path: 'length' }, [1, 2])).toBe('none');
  });

  test('[SG-8] a body rule uses the hash of the bytes', () => {
    const rule: DedupRule = { by: 'body' };
    const sha = createHash('sha256').update('{"a":1}').digest('hex');
    expect(key(rule, { a: 1 })).toBe(`body:${sha}`);
    expect(key(rule, { a: 2 })).not.toBe(`body:${sha}`);
  });

  test("[SG-8] a long value is replaced by its hash, which never equals a short value's key", () => {
    const rule: DedupRule = { by: 'path', path: 'id' };
    const long = 'x'.repeat(100_000);
    expect(key(rule, { id: long })).toMatch(/^path:#[0-9a-f]{64}$/);
    expect(key(rule, { id: long })).not.toBe(key(rule, { id: `${long}y` }));
    expect(key(rule, { id: '#a' })).toBe('path:="#a"');
  });

  test('[SG-7] malformed rules are refused', () => {
    for (const rule of [
      { by: 'header', name: '' },
      { by: 'header', name: 'a b' },
      { by: 'path', path: '' },
      { by: 'path', path: 'a.*' },
      { by: 'path', path: 'a..b' },
      { by: 'path', path: 'a[' },
      { by: 'body', path: 'a' },
      { by: 'chance' },
    ]) {
      expect(dedupRuleSchema.safeParse(rule).success, JSON.stringify(rule)).toBe(false);
    }
  });
});

describe('JSON paths', () => {
  test('[SG-8] parsePath accepts the documented forms and refuses others', () => {
    expect(parsePath('a.b')).toEqual(['a', 'b']);
    expect(parsePath('$.a[0].b')).toEqual(['a', '0', 'b']);
    expect(parsePath('a.0')).toEqual(['a', '0']);
    expect(parsePath('items[*].*')).toEqual(['items', ANY, ANY]);
    expect(parsePath('$["a.b"]["\\"c"]')).toEqual(['a.b', '"c']);
    for (const bad of ['', '$', '.a', 'a.', 'a b', 'a[b]', '$a', 'a["\\x"]', 'a[0]b', 'a**']) {
      expect(parsePath(bad), bad).toBeUndefined();
    }
    expect(parsePath(Array.from({ length: 33 }, () => 'a').join('.'))).toBeUndefined();
  });

  test('[SG-8] any list of keys survives formatPath and parsePath, and valueAt finds its value', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string(), { minLength: 1, maxLength: 8 }),
        fc.integer(),
        (keys, leaf) => {
          fc.pre(!keys.includes('__proto__'));
          const value = keys.reduceRight<Json>((inner, at) => ({ [at]: inner }), leaf);
          const parts = parsePath(formatPath(keys));
          expect(parts).toEqual(keys);
          expect(valueAt(value, parts ?? [])).toBe(leaf);
        },
      ),
    );
  });
});
