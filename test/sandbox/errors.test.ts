import { describe, expect, it } from 'vitest';
import { createPhases } from '#test/sandbox/phases.ts';

const { failure, run, value } = createPhases();

describe('errors', () => {
  it('[SB-16] a recursion without end shows each of its lines once', async () => {
    const failed = await failure(`const a = () => b() + 1;\nconst b = () => a() + 1;\nreturn a();`);
    const frames = failed.stack.split('\n').slice(1);
    expect(frames.length).toBeGreaterThanOrEqual(2);
    expect(frames.length).toBeLessThanOrEqual(3);
    expect(new Set(frames).size).toBe(frames.length);
  });

  it("[SB-8] a stack has file, line and column, with frames of the author's file only", async () => {
    const failed = await failure(`const helper = (list) => {
  return list.length;
};
[null].map((list) => helper(list));`);
    expect(failed.stack.split('\n')).toEqual([
      "TypeError: cannot read property 'length' of null",
      '    at helper (mine.ts:4:10)',
      '    at <anonymous> (mine.ts:6:29)',
      '    at prepare (mine.ts:6:8)',
    ]);
  });

  it('[SB-8] the stack of a host error points to the call', async () => {
    const failed = await failure(`await null;\n  await ctx.tools.http.get({});`, {
      onCalls: async () => [{ type: 'error', message: 'HTTP 500', errorType: 'network' }],
    });
    expect(failed).toMatchObject({ message: 'HTTP 500', errorType: 'network' });
    expect(failed.stack).toMatch(/^Error: HTTP 500\n {4}at prepare \(mine\.ts:4:\d+\)$/);
  });

  it('[SB-8] errors during evaluation and syntax errors have a position', async () => {
    const failed = await failure('', { top: ' null.x;' });
    expect(failed.stack).toContain('mine.ts:1:');
    const syntax = await failure('let let = 1');
    expect(syntax.stack).toMatch(/^SyntaxError: .*\n {4}at mine\.ts:3:/);
  });

  it.each([
    [`throw 'text'`, 'The code threw "text". Throw an Error'],
    ['throw null', 'The code threw null. Throw an Error'],
    ['throw undefined', 'The code threw undefined. Throw an Error'],
    ['throw { code: 7 }', 'The code threw {"code":7}. Throw an Error'],
    ['throw Symbol("x")', 'The code threw Symbol(x). Throw an Error'],
    ['throw () => 1', 'The code threw () => 1. Throw an Error'],
    [
      'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })',
      'an unprintable value',
    ],
    ['throw Object.defineProperty(new Error("x"), "message", { get() { throw 1 } })', 'Error'],
    ['throw Object.assign(new Error(""), { name: "" })', 'an error without a message'],
    ['throw Object.assign(new Error("x"), { message: 5n })', '5'],
    ['throw new Error("x".repeat(1e6))', 'xxx …'],
    ['throw new AggregateError([new Error("a")], "several")', 'several'],
  ])('[SB-8] [SB-16] %s has a message', async (body, message) => {
    const failed = await failure(body);
    expect(failed.cause).toBe('thrown');
    expect(failed.message).toContain(message);
    expect(failed.message.length).toBeLessThan(5000);
  });

  it('[SB-8] a missing handler or function is named', async () => {
    const { sandbox } = createPhases();
    const request = {
      code: `export default { consumers: { c: { prepare: 5 } } }`,
      fileName: 'mine.ts',
      args: [],
      tools: {},
      values: { now: 0, seed: '', runId: '' },
      limits: { cpuMs: 1000, wallMs: 10_000 },
    };
    const ask = (name: string, method: 'prepare' | 'next') =>
      sandbox.run({ ...request, entry: { kind: 'consumer', name, method } }, async () => []);
    expect(await ask('x', 'next')).toMatchObject({ message: 'This file has no consumer "x".' });
    expect(await ask('toString', 'next')).toMatchObject({
      message: 'This file has no consumer "toString".',
    });
    expect(await ask('c', 'prepare')).toMatchObject({
      message: 'The consumer "c" has no function "prepare".',
    });
  });
});

describe('console', () => {
  it('[SB-9] console lines are returned with level and time', async () => {
    const now = Date.UTC(2026, 5, 1);
    const result = await run(
      `console.log('text', 1, { a: [1] }, null, undefined, () => 1);
       console.debug('d'); console.info('i'); console.warn('w');
       await ctx.peek('a');
       console.error(new TypeError('bad'), Symbol('s'), 5n);
       const loop = {}; loop.loop = loop; console.log(loop)`,
      { values: { now } },
    );
    expect(result.logs.map(({ level, text }) => [level, text])).toEqual([
      ['info', 'text 1 {"a":[1]} null undefined [function ]'],
      ['debug', 'd'],
      ['info', 'i'],
      ['warn', 'w'],
      ['error', 'TypeError: bad Symbol(s) 5'],
      ['info', '[unprintable value]'],
    ]);
    for (const { at } of result.logs) {
      expect(at).toBeGreaterThanOrEqual(now);
      expect(at).toBeLessThan(now + 20_000);
    }
  });

  it('[SB-9] console lines of a failed phase are returned', async () => {
    for (const end of [
      'throw 1',
      'for (;;);',
      'const a = []; for (;;) a.push(new Array(1e4).fill(1))',
    ]) {
      const failed = await failure(`console.log('seen'); ${end}`, { limits: { cpuMs: 200 } });
      expect(
        failed.logs.map(({ text }) => text),
        end,
      ).toEqual(['seen']);
    }
  });

  it('[SB-9] console output is limited in lines and bytes, with one final notice', async () => {
    const last = 'Output limit reached: only the first part is shown.';
    const lines = await run('for (let i = 0; i < 1e4; i++) console.log(i)');
    expect(lines.logs).toHaveLength(201);
    expect(lines.logs.at(-1)).toMatchObject({ level: 'warn', text: last });
    const bytes = await run('for (let i = 0; i < 20; i++) console.log("x".repeat(1e6))');
    expect(bytes.logs.at(-1)?.text).toBe(last);
    const size = bytes.logs.reduce((sum, { text }) => sum + text.length, 0);
    expect(size).toBeLessThan(70_000);
  });

  it('[SB-9] console output of the module itself is returned in every phase', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { logs } = await run('return 1', { top: `console.log('read');` });
      expect(logs.map(({ text }) => text)).toEqual(['read']);
    }
    expect(await value('return typeof console.table')).toBe('undefined');
  });
});
