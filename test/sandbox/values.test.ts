import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/json.ts';
import { answerWith, createPhases } from '#test/sandbox/phases.ts';

const { run, value, failure } = createPhases();
const tiny = createPhases({ memoryBytes: 4 * 1024 * 1024 });

describe('values that cross the boundary', () => {
  it('[SB-7] any JSON passes unchanged as argument, reply, call and result', async () => {
    const body = `const [given] = args;
      const answer = await ctx.tools.http.get({ given });
      return { given, answer, same: JSON.stringify(given) === JSON.stringify(answer) }`;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (raw) => {
        // -0 is 0 in JSON.
        const json = JSON.parse(JSON.stringify(raw)) as Json;
        let sent: unknown;
        const result = await run(body, {
          args: [json],
          onCalls: async (calls) => {
            sent = calls[0];
            return answerWith(json)(calls);
          },
        });
        expect(sent).toEqual({
          op: 'tool',
          namespace: 'http',
          method: 'get',
          params: { given: json },
        });
        expect(result).toMatchObject({ value: { given: json, answer: json, same: true } });
      }),
      { numRuns: 150 },
    );
  });

  it('[SB-7] any text passes unchanged, including lone surrogates and NUL', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await value('return [args[0], args[0].length]', { args: [text] })).toEqual([
          text,
          text.length,
        ]);
      }),
      { numRuns: 100 },
    );
    expect(await value('return ["\\ud800", "\\0"]')).toEqual(['\uD800', '\0']);
  });

  it('[SB-7] "__proto__" passes as an ordinary key in both directions', async () => {
    const tricky = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"x":1}}}',
    ) as Json;
    const got = await value(
      `return { own: Object.hasOwn(args[0], '__proto__'), polluted: {}.polluted ?? null, back: args[0],
                made: JSON.parse('{"__proto__":[1]}') }`,
      { args: [tricky] },
    );
    expect(JSON.stringify(got)).toBe(
      `{"own":true,"polluted":null,"back":${JSON.stringify(tricky)},"made":{"__proto__":[1]}}`,
    );
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('[SB-7] a missing result is null, and undefined members are omitted', async () => {
    expect(await value('')).toBeNull();
    expect(await value('return { a: undefined, b: [undefined], c: new Date(0) }')).toEqual({
      b: [null],
      c: '1970-01-01T00:00:00.000Z',
    });
  });
});

describe('values that are refused', () => {
  it.each([
    ['a function', 'return () => 1', `This value can't be stored as JSON: it is a function.`],
    [
      'a function inside',
      'return { a: [{ run() {} }] }',
      `"run" can't be stored as JSON: it is a function.`,
    ],
    ['a symbol', 'return { a: Symbol("x") }', `"a" can't be stored as JSON: it is a symbol.`],
    [
      'a BigInt',
      'return { n: 10n }',
      `"n" can't be stored as JSON: it is a BigInt; use String(value) to store its digits as text.`,
    ],
    ['NaN', 'return { n: 0 / 0 }', `"n" can't be stored as JSON: it is NaN.`],
    ['Infinity', 'return [1 / 0]', 'it is Infinity.'],
    ['a cycle', 'const a = {}; a.a = [a]; return a', 'it contains itself.'],
    ['a promise inside', 'return { got: ctx.peek("a") }', 'it is a promise; await it first.'],
    ['a Map', 'return new Map([[1, 2]])', 'it is a Map'],
    ['a Set', 'return { s: new Set() }', 'it is a Set'],
    ['bytes', 'return new Uint8Array(3)', 'it is binary data'],
    ['a getter that throws', 'return { get a() { throw new Error("trap") } }', 'trap'],
    ['a toJSON that throws', 'return { toJSON() { throw new Error("trap") } }', 'trap'],
    ['a toJSON that gives a function', 'return { toJSON: () => () => 1 }', 'a function'],
    ['a toJSON that gives a cycle', 'const a = { toJSON: () => ({ a }) }; return a', ''],
    [
      'a proxy whose traps throw',
      'return new Proxy({}, { ownKeys() { throw new Error("trap") } })',
      'trap',
    ],
    [
      'a revoked proxy',
      'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
      'revoked',
    ],
    [
      'a proxy that never ends',
      'return new Proxy({}, { ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get(t, k, r) { return k === "a" ? r : undefined } })',
      '',
    ],
    ['10 MiB', 'return "x".repeat(10 * 1024 * 1024)', 'The returned value is too large'],
    [
      '1 MiB of wide characters',
      'return "\u20ac".repeat(400_000)',
      'The returned value is too large: 1200002 bytes',
    ],
    [
      '101 levels',
      'let a = 1; for (let i = 0; i < 101; i++) a = [a]; return a',
      'nested too deeply',
    ],
    [
      'an event too large',
      'await ctx.publish("a", { payload: "x".repeat(1024 * 1024) })',
      'The event is too large',
    ],
    [
      'params too large',
      'await ctx.tools.http.post({ body: "x".repeat(1024 * 1024) })',
      'The argument of http.post is too large',
    ],
    [
      'params with a function',
      'await ctx.tools.http.post({ body() {} })',
      `"body" can't be stored`,
    ],
  ])('[SB-7] %s fails the phase with a message', async (_name, body, message) => {
    const failed = await failure(body, { limits: { cpuMs: 3000 } });
    expect(failed.cause).not.toBe('sandbox');
    expect(failed.message).toContain(message);
    expect(failed.message).not.toBe('');
  });

  it('[SB-7] values at the limits of size and depth pass', async () => {
    const text = (await value('return "x".repeat(1024 * 1024 - 2)')) as string;
    expect(text).toHaveLength(1024 * 1024 - 2);
    const body = 'let a = 1; for (let i = 0; i < 100; i++) a = [a]; return a';
    expect(JSON.stringify(await value(body))).toBe(`${'['.repeat(100)}1${']'.repeat(100)}`);
  });

  it("[SB-7] a polluted toJSON changes only the code's own values, not the call", async () => {
    const asked: unknown[] = [];
    const body = `Object.prototype.toJSON = () => 'spoilt';
      String.prototype.toJSON = () => 'spoilt';
      Array.prototype.toJSON = () => 'spoilt';
      JSON.stringify = () => '{"op":"tool"}';
      await ctx.tools.http.get({ a: 1 });
      return { a: 1 }`;
    const result = await run(body, {
      onCalls: async (calls) => {
        asked.push(...calls);
        return answerWith(null)(calls);
      },
    });
    expect(asked).toEqual([{ op: 'tool', namespace: 'http', method: 'get', params: 'spoilt' }]);
    expect(result).toMatchObject({ type: 'returned', value: 'spoilt' });
  });

  it('[SB-7] arguments that are not JSON or too large fail the phase', async () => {
    const cycle: Record<string, Json> = {};
    cycle['a'] = cycle;
    expect((await failure('', { args: [cycle] })).cause).toBe('sandbox');
    expect((await failure('', { args: ['x'.repeat(17 * 1024 * 1024)] })).message).toContain(
      'too large',
    );
    const tight = await tiny.failure('', { args: ['x'.repeat(8 * 1024 * 1024)] });
    expect(tight).toMatchObject({
      cause: 'limit',
      message: 'The code used more than 4 MiB of memory.',
    });
    expect(await tiny.value('return 1')).toBe(1);
  });

  it('[SB-7] toJSON of a class is used; reservations of a plain object are reduced to ids', async () => {
    const code = `class Prepared { reservations = [{ id: 'e1', held: 1 }]; toJSON() { return 'as it says'; } }
      return new Prepared();`;
    expect(await value(code)).toBe('as it says');
    expect(
      await value(`return { reservations: [{ id: 'e1', held: 1 }, 'e2', { no: 'id' }] };`),
    ).toEqual({
      reservations: ['e1', 'e2', { no: 'id' }],
    });
  });
});
