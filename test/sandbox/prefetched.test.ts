import { describe, expect, it } from 'vitest';
import type { HostCall, HostReply, OnCalls } from '#main/sandbox/sandbox.ts';
import { createPhases } from '#test/sandbox/phases.ts';

const { run, value, failure } = createPhases();
const EVENT = { id: 'e1', payload: { n: 1 } };
const PEEK = { topic: 'a', events: [EVENT], isAll: false };
const PUBLISHED = { id: '1', title: 'One', payload: { x: [1] } };

function host(reply: HostReply = { type: 'value', value: 'asked' }): {
  received: HostCall[][];
  onCalls: OnCalls;
} {
  const received: HostCall[][] = [];
  const onCalls: OnCalls = async (calls) => {
    received.push([...calls]);
    return calls.map(() => reply);
  };
  return { received, onCalls };
}

describe('prefetched answers', () => {
  it('[SB-12] a prefetched peek is answered locally and reported at the end of the phase', async () => {
    const { received, onCalls } = host();
    const got = await value(`return await ctx.peek('a', { limit: 1 })`, {
      prefetched: { peek: PEEK },
      onCalls,
    });
    expect(got).toEqual([EVENT]);
    expect(received).toEqual([[{ op: 'peek', topic: 'a', limit: 1, deferred: true }]]);
  });

  it.each([
    ['a larger limit', `await ctx.peek('a', { limit: 2 })`, PEEK],
    ['another topic', `await ctx.peek('b', { limit: 1 })`, PEEK],
    [
      'the second time',
      `[await ctx.peek('a', { limit: 1 }), await ctx.peek('a', { limit: 1 })].at(-1)`,
      PEEK,
    ],
    [
      'after another call',
      `[await ctx.tools.http.get({}), await ctx.peek('a', { limit: 1 })].at(-1)`,
      PEEK,
    ],
  ])('[SB-12] a prefetched peek is not used: %s', async (_what, code, peek) => {
    const { received, onCalls } = host();
    expect(await value(`return ${code}`, { prefetched: { peek }, onCalls })).toBe('asked');
    expect(received.flat().at(-1)).not.toHaveProperty('deferred');
  });

  it('[SB-12] a prefetched peek of all events answers any limit', async () => {
    const { received, onCalls } = host();
    const none = { topic: 'a', events: [], isAll: true };
    expect(
      await value(`return await ctx.peek('a')`, { prefetched: { peek: none }, onCalls }),
    ).toEqual([]);
    expect(received.flat()).toMatchObject([{ deferred: true }]);
  });

  it('[SB-12] publishes are accepted locally and reported in order with other calls', async () => {
    const { received, onCalls } = host();
    await value(
      `await ctx.publish('b', ${JSON.stringify(PUBLISHED)});
       await ctx.publish('b', { id: '', title: 'No id' });
       await ctx.publish('b', { id: '2', title: 'Two' });`,
      { prefetched: { publishes: ['b'] }, onCalls },
    );
    expect(received).toEqual([
      [
        { op: 'publish', topic: 'b', event: PUBLISHED, deferred: true },
        { op: 'publish', topic: 'b', event: { id: '', title: 'No id' } },
      ],
      [{ op: 'publish', topic: 'b', event: { id: '2', title: 'Two' }, deferred: true }],
    ]);
  });

  it.each([
    ['undeclared topic', `'c', { id: '1', title: 'T' }`],
    ['unknown field', `'b', { id: '1', title: 'T', more: 1 }`],
    ['no title', `'b', { id: '1' }`],
    ['long id', `'b', { id: 'x'.repeat(10_000), title: 'T' }`],
  ])(
    '[SB-12] a publish that the host might refuse is sent to the host: %s',
    async (_what, event) => {
      const { received, onCalls } = host({ type: 'error', message: 'No.', errorType: 'logic' });
      const got = await value(
        `return await ctx.publish(${event}).catch((error) => error.message)`,
        {
          prefetched: { publishes: ['b'] },
          onCalls,
        },
      );
      expect(got).toBe('No.');
      expect(received.flat()).not.toMatchObject([{ deferred: true }]);
    },
  );

  it('[SB-12] a prefetched peek that was used leaves the prefetched topics as they were', async () => {
    const { received, onCalls } = host();
    await value(
      `await ctx.peek('a', { limit: 1 }); await ctx.publish('b', ${JSON.stringify(PUBLISHED)});`,
      { prefetched: { peek: PEEK, publishes: ['b'] }, onCalls },
    );
    expect(received).toMatchObject([[{ op: 'peek', deferred: true }, { deferred: true }]]);
  });

  it('[SB-12] deferred calls are sent in between when they exceed the limit, in order', async () => {
    const { received, onCalls } = host();
    await value(
      `for (let i = 0; i < 40; i += 1)
         await ctx.publish('b', { id: String(i), title: 'T', payload: 'x'.repeat(5000) })`,
      { prefetched: { publishes: ['b'] }, onCalls },
    );
    expect(received.length).toBeGreaterThan(1);
    const ids = received
      .flat()
      .map((call) => call.op === 'publish' && (call.event as { id: string }).id);
    expect(ids).toEqual(Array.from({ length: 40 }, (_, index) => String(index)));
  });

  it('[SB-12] a deferred call that the host refuses or stops ends the phase accordingly', async () => {
    const { onCalls } = host({ type: 'error', message: 'Not this one.', errorType: 'logic' });
    const failed = await failure(`await ctx.publish('b', ${JSON.stringify(PUBLISHED)})`, {
      prefetched: { publishes: ['b'] },
      onCalls,
    });
    expect(failed).toMatchObject({ message: 'Not this one.', errorType: 'logic', cause: 'thrown' });
    const stopped = await run(`await ctx.publish('b', ${JSON.stringify(PUBLISHED)})`, {
      prefetched: { publishes: ['b'] },
      onCalls: async (calls) => calls.map(() => ({ type: 'stop' })),
    });
    expect(stopped.type).toBe('stopped');
  });

  it('[SB-12] a phase that throws reports whether it used the prefetched peek', async () => {
    const { received, onCalls } = host();
    const failed = await failure(
      `await ctx.peek('a', { limit: 1 }); ctx.tools.http.get({}); throw new Error('bad event')`,
      { prefetched: { peek: PEEK }, onCalls },
    );
    expect(failed.mayHaveUsedPrefetch).toBeUndefined();
    expect(received).toEqual([[{ op: 'peek', topic: 'a', limit: 1, deferred: true }]]);
    const early = await failure(`throw new Error('before')`, {
      prefetched: { peek: PEEK },
      onCalls,
    });
    expect(early.mayHaveUsedPrefetch).toBeUndefined();
    expect(received).toHaveLength(1);
  });

  it.each([
    ['never ends', `await ctx.peek('a', { limit: 1 }); for (;;);`],
    [
      'rejects a promise without a handler',
      `await ctx.peek('a', { limit: 1 }); Promise.reject(new Error('no')); await null`,
    ],
  ])(
    '[SB-12] a phase that %s is marked as possibly having used the prefetched peek',
    async (_what, code) => {
      const failed = await failure(code, {
        prefetched: { peek: PEEK },
        limits: { cpuMs: 300 },
      });
      expect(failed.mayHaveUsedPrefetch).toBe(true);
    },
  );
});

describe('phases that end with their calls', () => {
  it('[SB-13] the phase stops with its calls, and its thread is free before the host replies', async () => {
    let isFree = false;
    const ended = run(`await ctx.tools.http.post({ n: 1 }); console.log('never')`, {
      endsWithCalls: true,
      onCalls: async (calls) => {
        // Another phase ends on the only thread while this one is still open.
        isFree = (await value(`return 1`)) === 1;
        return calls.map(() => ({ type: 'stop' }));
      },
    });
    expect(await ended).toEqual({ type: 'stopped', logs: [] });
    expect(isFree).toBe(true);
  });

  it("[SB-13] the phase fails when the host doesn't stop it", async () => {
    const failed = await failure(`await ctx.tools.http.post({ n: 1 })`, { endsWithCalls: true });
    expect(failed).toMatchObject({ cause: 'sandbox', message: expect.stringContaining('stop') });
  });

  it('[SB-13] a phase without calls returns normally', async () => {
    expect(await value(`return 7`, { endsWithCalls: true })).toBe(7);
  });
});
