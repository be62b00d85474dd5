import { describe, expect, it } from 'vitest';
import type { HostCall, HostReply, OnCalls } from '#main/sandbox/sandbox.ts';
import { createPhases } from '#test/sandbox/phases.ts';

const { run, value, failure } = createPhases();

function recorder(reply: (call: HostCall, at: number) => HostReply): {
  asked: HostCall[][];
  onCalls: OnCalls;
} {
  const asked: HostCall[][] = [];
  const onCalls: OnCalls = async (calls) => {
    asked.push([...calls]);
    return calls.map((call, index) => reply(call, asked.length * 100 + index));
  };
  return { asked, onCalls };
}

describe('host calls', () => {
  it('[SB-5] calls made before the code waits reach the host together, in order', async () => {
    const { asked, onCalls } = recorder((_call, at) => ({ type: 'value', value: at }));
    const got = await value(
      `const first = await Promise.all([ctx.tools.http.post({ n: 1 }), ctx.peek('a', { limit: 5 }), ctx.publish('b', { id: 'x' })]);
       const chained = Promise.resolve().then(() => ctx.tools.http.get({ n: 2 }));
       const late = (async () => { for (let i = 0; i < 20; i++) await null; return ctx.complete({ done: true }) })();
       return [first, await chained, await late, await ctx.registerInput({ key: 'k' })]`,
      { onCalls },
    );
    expect(asked).toEqual([
      [
        { op: 'tool', namespace: 'http', method: 'post', params: { n: 1 } },
        { op: 'peek', topic: 'a', limit: 5 },
        { op: 'publish', topic: 'b', event: { id: 'x' } },
      ],
      [
        { op: 'tool', namespace: 'http', method: 'get', params: { n: 2 } },
        { op: 'complete', result: { done: true } },
      ],
      [{ op: 'registerInput', input: { key: 'k' } }],
    ]);
    expect(got).toEqual([[100, 101, 102], 200, 201, 300]);
  });

  it('[SB-5] calls that are not awaited reach the host before the phase ends', async () => {
    const { asked, onCalls } = recorder(() => ({ type: 'value', value: null }));
    const result = await run(
      `ctx.publish('a', { id: '1' }).then(() => ctx.publish('a', { id: '2' })); return 'early'`,
      { onCalls },
    );
    expect(result).toMatchObject({ type: 'returned', value: 'early' });
    expect(asked.flat()).toHaveLength(2);
  });

  it("[SB-5] calls don't reach the host when the handler throws before it waits", async () => {
    const { asked, onCalls } = recorder(() => ({ type: 'value', value: null }));
    await failure(`ctx.publish('a', { id: '1' }); throw new Error('no')`, { onCalls });
    expect(asked).toEqual([]);
  });

  it.each([
    [`ctx.peek('')`, 'The topic of ctx.peek must be a non-empty string'],
    [`ctx.peek('a', { limit: 0 })`, 'whole number from 1 to'],
    [`ctx.peek('a', { limit: 1.5 })`, 'whole number from 1 to'],
    [`ctx.publish('a')`, 'The event of ctx.publish must be an object'],
    [`ctx.publish(1, {})`, 'The topic of ctx.publish must be a non-empty string'],
    [`ctx.registerInput('x')`, 'The input of ctx.registerInput must be an object'],
    [`for (let i = 0; i < 1001; i++) ctx.peek('a').catch(() => {})`, 'More than 1000 calls'],
  ])('[SB-5] %s throws at the call', async (code, message) => {
    const failed = await failure(code);
    expect(failed.message).toContain(message);
    expect(failed.stack).toContain('mine.ts:3:');
  });
});

describe('invalid replies of the host', () => {
  it.each<[string, OnCalls, string]>([
    ['throws', () => Promise.reject(new Error('broken')), 'broken'],
    ['returns too few replies', async () => [], '1 calls got 0 replies'],
    [
      'returns a value that is not JSON',
      async () => [{ type: 'value', value: 1n as never }],
      'BigInt',
    ],
    [
      'returns too large a value',
      async () => [{ type: 'value', value: 'x'.repeat(17 * 1024 * 1024) }],
      'too large',
    ],
  ])(
    '[SB-10] a host that %s fails the phase with cause sandbox',
    async (_name, onCalls, message) => {
      const failed = await failure(`await ctx.peek('a')`, { onCalls });
      expect(failed.cause).toBe('sandbox');
      expect(failed.message).toContain(message);
    },
  );
});

describe('stop', () => {
  it('[SB-6] stop ends the phase: no code runs after it, not even finally', async () => {
    const { asked, onCalls } = recorder(() => ({ type: 'stop' }));
    const result = await run(
      `console.log('before');
       try { await ctx.tools.http.post({}) } catch { console.log('caught') } finally { console.log('finally'); ctx.publish('a', {}) }
       console.log('after')`,
      { onCalls },
    );
    expect(result.type).toBe('stopped');
    expect(result.logs.map(({ text }) => text)).toEqual(['before']);
    expect(asked).toHaveLength(1);
  });

  it('[SB-6] a stop reply to one of several calls stops the phase', async () => {
    const { asked, onCalls } = recorder((call) =>
      call.op === 'tool' ? { type: 'stop' } : { type: 'value', value: null },
    );
    const result = await run(
      `ctx.peek('a').then(() => ctx.publish('a', { id: 'never' })); await ctx.tools.http.post({})`,
      { onCalls },
    );
    expect(result.type).toBe('stopped');
    expect(asked).toHaveLength(1);
  });

  it('[SB-6] a phase that timed out is not resumed by a late reply', async () => {
    let answer: () => void = () => {};
    const asked: number[] = [];
    const result = await run(`await ctx.peek('a'); await ctx.peek('b')`, {
      limits: { wallMs: 30 },
      onCalls: (calls) => {
        asked.push(calls.length);
        return new Promise((resolve) => {
          answer = () => resolve([{ type: 'value', value: null }]);
        });
      },
    });
    answer();
    expect(result).toMatchObject({ type: 'failed', cause: 'limit' });
    expect(await value('return 1')).toBe(1);
    expect(asked).toEqual([1]);
  });
});
