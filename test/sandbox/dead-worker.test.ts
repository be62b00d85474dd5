import { describe, expect, it } from 'vitest';
import { workerEntry } from '#main/sandbox/worker-entry.ts';
import { createPhases } from '#test/sandbox/phases.ts';

const { run, value, failure, sandbox } = createPhases({
  entry: new URL('./workers/mortal.ts', import.meta.url),
  hangGraceMs: 1500,
});

describe('a sandbox thread that dies', () => {
  it.each([
    ['ends', `await ctx.peek('a') // exit now`, 'The sandbox thread ended.'],
    ['throws', `await ctx.peek('a') // throw now`, 'The sandbox thread crashed: struck'],
  ])(
    '[SB-10] a thread that %s fails its phases with cause sandbox and is replaced',
    async (_how, body, message) => {
      const waiting = run(`console.log('waits'); await ctx.peek('a')`, {
        onCalls: () => new Promise(() => {}),
      });
      expect(await value('return 1')).toBe(1);
      const struck = await failure(body, { onCalls: () => new Promise(() => {}) });
      expect(struck).toMatchObject({ cause: 'sandbox', message });
      const lost = await waiting;
      expect(lost).toMatchObject({ type: 'failed', cause: 'sandbox' });
      expect(lost.logs.map(({ text }) => text)).toEqual(['waits']);
      expect(await value('return 2')).toBe(2);
    },
  );

  it('[SB-2] [SB-14] a thread that hangs fails the hanging phase with cause limit, and the others go on', async () => {
    let answer: (value: string) => void = () => undefined;
    const answered = new Promise<string>((resolve) => (answer = resolve));
    const waiting = run(`return ctx.peek('a')`, {
      onCalls: async () => [{ type: 'value', value: await answered }],
    });
    expect(await value('return 1')).toBe(1);
    const guilty = await failure(`return 'x'.repeat(2 ** 23).indexOf('x'.repeat(2 ** 16) + 'y')`);
    expect(guilty.cause).toBe('limit');
    answer('came late');
    expect(await waiting).toMatchObject({ type: 'returned', value: 'came late' });
    expect(await value('return 2')).toBe(2);
  });

  it('[SB-10] close fails open and later phases with a message', async () => {
    const waiting = run(`await ctx.peek('a')`, { onCalls: () => new Promise(() => {}) });
    expect(await value('return 1')).toBe(1);
    await sandbox.close();
    expect(await waiting).toMatchObject({ cause: 'sandbox', message: 'The sandbox was closed.' });
    expect(await run('return 1')).toMatchObject({ cause: 'sandbox' });
  });
});

describe('worker entry', () => {
  it('[SB-10] workerEntry returns the source file, and throws in a build without it', () => {
    expect(workerEntry().pathname).toMatch(/src-main\/sandbox\/worker\.ts$/);
    expect(() => workerEntry('file:///nowhere/main.js')).toThrow(/missing from this build/);
  });
});
