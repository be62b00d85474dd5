import { describe, expect, it } from 'vitest';
import type { HostCall, HostReply, OnCalls } from '#main/sandbox/sandbox.ts';
import { createPhases } from '#test/sandbox/phases.ts';

const { run, value, failure } = createPhases();
const EVENT = { id: 'e1', payload: { n: 1 } };
const PEEK = { topic: 'a', events: [EVENT], isAll: false };
const PUBLISHED = { id: '1', title: 'One', payload: { x: [1] } };

function host(reply: HostReply = { type: 'value', value: 'asked' }): {
  heard: HostCall[][];
  onCalls: OnCalls;
} {
  const heard: HostCall[][] = [];
  const onCalls: OnCalls = async (calls) => {
    heard.push([...calls]);
    return calls.map(() => reply);
  };
  return { heard, onCalls };
}

describe('what the host gives before it is asked', () => {
  it('[SB-12] answers a peek, and the host hears of it with the end', async () => {
    const { heard, onCalls } = host();
    const got = await value(`return await ctx.peek('a', { limit: 1 })`, {
      given: { peek: PEEK },
      onCalls,
    });
    expect(got).toEqual([EVENT]);
    expect(heard).toEqual([[{ op: 'peek', topic: 'a', limit: 1, told: true }]]);
  });

  it.each([
    ['more than is given', `await ctx.peek('a', { limit: 2 })`, PEEK],
    ['another topic', `await ctx.peek('b', { limit: 1 })`, PEEK],
    [
      'again',
      `[await ctx.peek('a', { limit: 1 }), await ctx.peek('a', { limit: 1 })].at(-1)`,
      PEEK,
    ],
    [
      'after something else was asked',
      `[await ctx.tools.http.get({}), await ctx.peek('a', { limit: 1 })].at(-1)`,
      PEEK,
    ],
  ])('[SB-12] does not answer a peek for %s', async (_what, code, peek) => {
    const { heard, onCalls } = host();
    expect(await value(`return ${code}`, { given: { peek }, onCalls })).toBe('asked');
    expect(heard.flat().at(-1)).not.toHaveProperty('told');
  });

  it('[SB-12] answers any peek when there is nothing else', async () => {
    const { heard, onCalls } = host();
    const none = { topic: 'a', events: [], isAll: true };
    expect(await value(`return await ctx.peek('a')`, { given: { peek: none }, onCalls })).toEqual(
      [],
    );
    expect(heard.flat()).toMatchObject([{ told: true }]);
  });

  it('[SB-12] takes what is published, in order with what has to be asked', async () => {
    const { heard, onCalls } = host();
    await value(
      `await ctx.publish('b', ${JSON.stringify(PUBLISHED)});
       await ctx.publish('b', { id: '', title: 'No id' });
       await ctx.publish('b', { id: '2', title: 'Two' });`,
      { given: { publishes: ['b'] }, onCalls },
    );
    expect(heard).toEqual([
      [
        { op: 'publish', topic: 'b', event: PUBLISHED, told: true },
        { op: 'publish', topic: 'b', event: { id: '', title: 'No id' } },
      ],
      [{ op: 'publish', topic: 'b', event: { id: '2', title: 'Two' }, told: true }],
    ]);
  });

  it.each([
    ['a topic that was not declared', `'c', { id: '1', title: 'T' }`],
    ['something unknown in it', `'b', { id: '1', title: 'T', more: 1 }`],
    ['no title', `'b', { id: '1' }`],
    ['a long id', `'b', { id: 'x'.repeat(10_000), title: 'T' }`],
  ])('[SB-12] asks where the host might refuse: %s', async (_what, event) => {
    const { heard, onCalls } = host({ type: 'error', message: 'No.', errorType: 'logic' });
    const got = await value(`return await ctx.publish(${event}).catch((error) => error.message)`, {
      given: { publishes: ['b'] },
      onCalls,
    });
    expect(got).toBe('No.');
    expect(heard.flat()).not.toMatchObject([{ told: true }]);
  });

  it('[SB-12] does not gather more than a little', async () => {
    const { heard, onCalls } = host();
    await value(
      `for (let i = 0; i < 40; i += 1)
         await ctx.publish('b', { id: String(i), title: 'T', payload: 'x'.repeat(5000) })`,
      { given: { publishes: ['b'] }, onCalls },
    );
    expect(heard.length).toBeGreaterThan(1);
    const ids = heard
      .flat()
      .map((call) => call.op === 'publish' && (call.event as { id: string }).id);
    expect(ids).toEqual(Array.from({ length: 40 }, (_, index) => String(index)));
  });

  it('[SB-12] is checked all the same: what the host refuses afterwards fails the phase', async () => {
    const { onCalls } = host({ type: 'error', message: 'Not this one.', errorType: 'logic' });
    const failed = await failure(`await ctx.publish('b', ${JSON.stringify(PUBLISHED)})`, {
      given: { publishes: ['b'] },
      onCalls,
    });
    expect(failed).toMatchObject({ message: 'Not this one.', errorType: 'logic', cause: 'thrown' });
    const stopped = await run(`await ctx.publish('b', ${JSON.stringify(PUBLISHED)})`, {
      given: { publishes: ['b'] },
      onCalls: async (calls) => calls.map(() => ({ type: 'stop' })),
    });
    expect(stopped.type).toBe('stopped');
  });

  it('[SB-12] is known to have been used when the code throws', async () => {
    const { heard, onCalls } = host();
    const failed = await failure(
      `await ctx.peek('a', { limit: 1 }); ctx.tools.http.get({}); throw new Error('bad event')`,
      { given: { peek: PEEK }, onCalls },
    );
    expect(failed.isSilent).toBeUndefined();
    expect(heard).toEqual([[{ op: 'peek', topic: 'a', limit: 1, told: true }]]);
    const early = await failure(`throw new Error('before')`, { given: { peek: PEEK }, onCalls });
    expect(early.isSilent).toBeUndefined();
    expect(heard).toHaveLength(1);
  });

  it.each([
    ['never ends', `await ctx.peek('a', { limit: 1 }); for (;;);`],
    [
      'rejects where nobody looks',
      `await ctx.peek('a', { limit: 1 }); Promise.reject(new Error('no')); await null`,
    ],
  ])('[SB-12] may have been used by code that %s: the phase says so', async (_what, code) => {
    const failed = await failure(code, {
      given: { peek: PEEK },
      limits: { cpuMs: 300 },
    });
    expect(failed.isSilent).toBe(true);
  });
});

describe('a phase that its calls end', () => {
  it('[SB-13] stops with them, and its thread is free at once', async () => {
    let isFree = false;
    const ended = run(`await ctx.tools.http.post({ n: 1 }); console.log('never')`, {
      isEndedByCalls: true,
      onCalls: async (calls) => {
        // With one thread and this phase open, another one ends: nothing of the first is in its way.
        isFree = (await value(`return 1`)) === 1;
        return calls.map(() => ({ type: 'stop' }));
      },
    });
    expect(await ended).toEqual({ type: 'stopped', logs: [] });
    expect(isFree).toBe(true);
  });

  it('[SB-13] fails when the host does not stop it', async () => {
    const failed = await failure(`await ctx.tools.http.post({ n: 1 })`, { isEndedByCalls: true });
    expect(failed).toMatchObject({ cause: 'sandbox', message: expect.stringContaining('stop') });
  });

  it('[SB-13] returns as any other when it makes none', async () => {
    expect(await value(`return 7`, { isEndedByCalls: true })).toBe(7);
  });
});
