import { describe, expect, it } from 'vitest';
import { answerWith, createPhases } from '#test/sandbox/phases.ts';

const { run, value, failure } = createPhases();
const MIB = 1024 * 1024;

const endless: [name: string, body: string][] = [
  ['a loop', 'for (;;);'],
  ['a loop of awaits', 'for (;;) await null;'],
  ['a loop that catches the interrupt', 'for (;;) { try { for (;;); } catch {} }'],
  [
    'jobs that queue jobs',
    'const go = () => Promise.resolve().then(go); go(); await new Promise(() => {})',
  ],
  ['a regular expression', 'return /^(a+)+$/.test("a".repeat(50) + "b")'],
  ['a getter read by JSON', 'return { get a() { for (;;) Math.abs(1); } }'],
  ['a loop during evaluation', ''],
];

describe('endless code', () => {
  it.each(endless)('[SB-2] %s is ended by the CPU limit', async (name, body) => {
    const top = body === '' ? 'for (;;);' : '';
    const failed = await failure(body, { limits: { cpuMs: 100 }, top });
    expect(failed).toMatchObject({
      cause: 'limit',
      message: 'The code computed for longer than 100 ms.',
    });
    // Between two jobs there is no position.
    if (!/awaits|jobs/.test(name)) expect(failed.stack).toMatch(/mine\.ts:\d+:\d+/);
    expect(await value('return 1')).toBe(1);
  });

  it('[SB-2] waiting for the host counts as wall time, and so does computing', async () => {
    const never = () => new Promise<never>(() => {});
    const failed = await failure('await ctx.peek("a")', { limits: { wallMs: 50 }, onCalls: never });
    expect(failed).toMatchObject({ cause: 'limit', message: 'The phase took longer than 50 ms.' });
    const loop = await failure('for (;;);', { limits: { wallMs: 60 } });
    expect(loop.message).toBe('The phase took longer than 60 ms.');
  });
});

describe('memory and stack', () => {
  const small = createPhases({ memoryBytes: 8 * MIB });
  const bombs: [name: string, body: string][] = [
    ['lists', 'const all = []; for (;;) all.push(new Array(1000).fill(1))'],
    ['texts', 'const all = []; for (let i = 0; ; i++) all.push(String(i).repeat(1000))'],
    ['one text', 'let text = "x"; for (;;) text += text'],
    ['one buffer', 'return new ArrayBuffer(1e9).byteLength'],
    ['maps', 'const map = new Map(); for (let i = 0; ; i++) map.set(i, { i })'],
    ['promises', 'const all = []; for (;;) all.push((async () => {})())'],
    [
      'a bomb that catches the error',
      'const all = []; for (;;) { try { all.push(new Array(1e4).fill(1)) } catch { all.push(1) } }',
    ],
  ];

  it.each(bombs)('[SB-2] a memory bomb of %s ends with cause limit', async (_name, body) => {
    const failed = await small.failure(body, { limits: { cpuMs: 1000 } });
    expect(failed.cause).toBe('limit');
    expect(await small.value('return 1')).toBe(1);
  });

  const tiny = createPhases({ memoryBytes: 4 * MIB });
  it('[SB-2] a phase over the memory limit of its sandbox fails with the limit', async () => {
    const body = 'return new Array(1e6).fill(1).length';
    expect(await value(body)).toBe(1e6);
    const failed = await tiny.failure(body);
    expect(failed).toMatchObject({
      cause: 'limit',
      message: 'The code used more than 4 MiB of memory.',
    });
  });

  it.each([
    ['functions', 'const f = () => f() + 1; return f()'],
    ['async functions', 'const f = async () => (await f()) + 1; return f()'],
    ['getters', 'const o = { get a() { return this.a } }; return o.a'],
    ['proxies', 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x'],
    ['JSON', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a)'],
    ['a regular expression', 'return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("")'],
    ['source text', 'return eval("(".repeat(1e5))'],
  ])('[SB-2] deep recursion of %s fails the phase, not the thread', async (_name, body) => {
    const failed = await failure(body);
    expect(['limit', 'thrown']).toContain(failed.cause);
    expect(failed.message).toMatch(/deeply|memory|overflow|syntax|too many|interrupted/i);
    expect(await value('return 1')).toBe(1);
  });

  it('[SB-2] other phases of the same thread survive failing phases', async () => {
    const waiting = run('const got = await ctx.peek("a"); return [got, 2]', {
      onCalls: async (calls) => {
        await failure('const all = []; for (;;) all.push(new Array(1000).fill(1))');
        await failure('const f = () => f() + 1; return f()');
        return answerWith('still here')(calls);
      },
    });
    expect(await waiting).toMatchObject({ type: 'returned', value: ['still here', 2] });
  });
});

describe('code that waits forever', () => {
  it.each([
    ['a promise that nothing settles', 'await new Promise(() => {})'],
    ['a thenable that never calls back', 'await { then() {} }'],
    ['a promise returned', 'return new Promise(() => {})'],
    ['a promise after a finished host call', 'await ctx.peek("a"); await new Promise(() => {})'],
  ])('[SB-2] waiting for %s fails the phase', async (_name, body) => {
    const failed = await failure(body);
    expect(failed.cause).toBe('thrown');
    expect(failed.message).toContain('waits for a promise that never settles');
  });

  it('[SB-2] a module that waits forever during evaluation fails the phase', async () => {
    const failed = await failure('', { top: 'await new Promise(() => {});' });
    expect(failed.message).toContain('The file waits for a promise that never settles');
  });
});
