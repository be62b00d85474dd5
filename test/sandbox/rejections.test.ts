import { describe, expect, it } from 'vitest';
import type { OnCalls } from '#main/sandbox/sandbox.ts';
import { createPhases } from '#test/sandbox/phases.ts';

const { value, failure } = createPhases();
const refuse: OnCalls = async (calls) =>
  calls.map(() => ({ type: 'error', message: 'no connection', errorType: 'network' }));

describe('unhandled rejections', () => {
  it.each([
    ['a promise', `Promise.reject(new TypeError('lost'))`],
    ['an async function', `(async () => { throw new TypeError('lost') })()`],
    ['one behind a then', `Promise.resolve().then(() => { throw new TypeError('lost') })`],
    ['a finally that rethrows', `Promise.reject(new TypeError('lost')).finally(() => {})`],
    ['one of several', `Promise.all([Promise.reject(new TypeError('lost'))])`],
    ['an executor', `new Promise(() => { throw new TypeError('lost') })`],
  ])(
    '[SB-4] an unhandled rejection of %s fails the phase with its position',
    async (_name, code) => {
      const failed = await failure(`${code};\nreturn 1`);
      expect(failed).toMatchObject({ cause: 'thrown', message: 'lost' });
      expect(failed.stack).toMatch(/^TypeError: lost\n {4}at .*mine\.ts:3:\d+/);
    },
  );

  it('[SB-4] an unhandled rejection fails the phase before its calls reach the host', async () => {
    let asked = 0;
    const failed = await failure(`Promise.reject(new Error('lost')); await ctx.peek('a')`, {
      onCalls: async () => {
        asked += 1;
        return [{ type: 'value', value: null }];
      },
    });
    expect([failed.message, asked]).toEqual(['lost', 0]);
  });

  it('[SB-4] an unhandled rejection after the handler returned fails the phase', async () => {
    const failed = await failure(`ctx.publish('a', { id: '1' }); return 1`, { onCalls: refuse });
    expect(failed).toMatchObject({ message: 'no connection', errorType: 'network' });
  });

  it('[SB-4] an unhandled rejection during evaluation fails every phase', async () => {
    for (let round = 0; round < 2; round += 1) {
      const failed = await failure('return 1', { top: `Promise.reject(new Error('early'));` });
      expect(failed.message).toBe('early');
    }
  });

  it.each([
    ['caught', `await Promise.reject(new Error('x')).catch(() => {}); return 'fine'`],
    [
      'caught later, before the code waits',
      `const p = Promise.reject(new Error('x')); await null; try { await p } catch {} return 'fine'`,
    ],
    [
      'all settled',
      `await Promise.allSettled([Promise.reject(1), Promise.reject(2)]); return 'fine'`,
    ],
    [
      'a race that was lost',
      `await Promise.race([1, Promise.reject(new Error('x'))]); return 'fine'`,
    ],
    [
      'many, one after another',
      `for (let i = 0; i < 500; i++) { try { await Promise.reject(i) } catch {} } return 'fine'`,
    ],
  ])("[SB-4] a handled rejection doesn't fail the phase: %s", async (_name, body) => {
    expect(await value(body)).toBe('fine');
  });

  it('[SB-4] a host error can be caught with its type', async () => {
    const body = `try { await ctx.tools.http.get({}) } catch (error) {
      return [error instanceof Error, error.message, error.errorType] }`;
    expect(await value(body, { onCalls: refuse })).toEqual([true, 'no connection', 'network']);
  });

  it("[SB-4] user code can't set an error type", async () => {
    const failed = await failure(`throw Object.assign(new Error('x'), { errorType: 'network' })`);
    expect(failed.errorType).toBeUndefined();
  });
});
