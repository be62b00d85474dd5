import { describe, expect, it } from 'vitest';
import type { OnCalls } from '#main/sandbox/sandbox.ts';
import { createPhases } from '#test/sandbox/phases.ts';

const { value, failure } = createPhases();
const refuse: OnCalls = async (calls) =>
  calls.map(() => ({ type: 'error', message: 'no connection', errorType: 'network' }));

describe('a rejection that nobody awaits', () => {
  it.each([
    ['a promise', `Promise.reject(new TypeError('lost'))`],
    ['an async function', `(async () => { throw new TypeError('lost') })()`],
    ['one behind a then', `Promise.resolve().then(() => { throw new TypeError('lost') })`],
    ['a finally that rethrows', `Promise.reject(new TypeError('lost')).finally(() => {})`],
    ['one of several', `Promise.all([Promise.reject(new TypeError('lost'))])`],
    ['an executor', `new Promise(() => { throw new TypeError('lost') })`],
  ])('[SB-4] of %s fails the phase, with its place', async (_name, code) => {
    const failed = await failure(`${code};\nreturn 1`);
    expect(failed).toMatchObject({ cause: 'thrown', message: 'lost' });
    expect(failed.stack).toMatch(/^TypeError: lost\n {4}at .*mine\.ts:3:\d+/);
  });

  it('[SB-4] fails it before its calls reach the host', async () => {
    let asked = 0;
    const failed = await failure(`Promise.reject(new Error('lost')); await ctx.peek('a')`, {
      onCalls: async () => {
        asked += 1;
        return [{ type: 'value', value: null }];
      },
    });
    expect([failed.message, asked]).toEqual(['lost', 0]);
  });

  it('[SB-4] also when it comes after the handler returned', async () => {
    const failed = await failure(`ctx.publish('a', { id: '1' }); return 1`, { onCalls: refuse });
    expect(failed).toMatchObject({ message: 'no connection', errorType: 'network' });
  });

  it('[SB-4] also while the file is read, every time', async () => {
    for (let round = 0; round < 2; round += 1) {
      const failed = await failure('return 1', { top: `Promise.reject(new Error('early'));` });
      expect(failed.message).toBe('early');
    }
  });

  it.each([
    ['caught', `await Promise.reject(new Error('x')).catch(() => {}); return 'fine'`],
    [
      'caught later, in the same go',
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
  ])('[SB-4] one that is handled is none: %s', async (_name, body) => {
    expect(await value(body)).toBe('fine');
  });

  it('[SB-4] of the host can be caught, with its type', async () => {
    const body = `try { await ctx.tools.http.get({}) } catch (error) {
      return [error instanceof Error, error.message, error.errorType] }`;
    expect(await value(body, { onCalls: refuse })).toEqual([true, 'no connection', 'network']);
  });

  it('[SB-4] an error type can come from the host only', async () => {
    const failed = await failure(`throw Object.assign(new Error('x'), { errorType: 'network' })`);
    expect(failed.errorType).toBeUndefined();
  });
});
