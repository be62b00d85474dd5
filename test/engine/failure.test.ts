import { describe, expect, it } from 'vitest';
import {
  ASIDE_IN_A_ROW_BEFORE_PAUSE,
  LOGIC_FAILURES_BEFORE_ASIDE,
  MAX_RETRY_AFTER_MS,
  MAX_TRANSIENT_RETRIES,
  MAX_WAKE_MS,
} from '#shared/limits.ts';
import { POSTER, startEngine } from '#test/support/start-engine.ts';

const refused = { type: 'failed', errorType: 'network', error: 'try later' } as const;

describe('transient failures', () => {
  it('[EN-7] are retried with backoff, each as a new run that names the previous one', async () => {
    const { add, publish, runs, outside, pass, store } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push(refused, { ...refused, type: 'not_sent' });
    const eventId = await publish(workflowId, 'in', 'm1');
    expect(store.events.get(eventId)?.state.status).toBe('pending');
    expect(outside.arrived.length).toBe(1);
    await pass(999);
    expect(outside.arrived.length).toBe(1);
    expect(store.consumerWakes.failing(workflowId)).toEqual(['post']);
    await pass(1);
    expect(outside.arrived.length).toBe(2);
    await pass(1999);
    expect(outside.arrived.length).toBe(2);
    await pass(1);
    const all = runs(workflowId);
    expect(all.map(({ state }) => state.phase)).toEqual(['failed', 'failed', 'committed']);
    expect(all.map(({ retryOf }) => retryOf)).toEqual([null, all[0]?.id, all[1]?.id]);
    // Every attempt has the same effect id.
    expect(new Set(outside.arrived.map(({ effectId }) => effectId)).size).toBe(1);
    expect(store.consumerWakes.get(workflowId, 'post').failures).toBe(0);
    expect(store.consumerWakes.failing(workflowId)).toEqual([]);
  });

  it('[EN-7] of Holdfast itself pause the workflow with the reason after the last retry', async () => {
    const { add, publish, runs, outside, pass, store } = startEngine();
    const workflowId = await add(POSTER);
    const broken = { type: 'failed', errorType: 'internal', error: 'a bug' } as const;
    for (let n = 0; n < 50; n += 1) outside.answers.push(broken);
    await publish(workflowId, 'in', 'm1');
    for (let n = 0; n < MAX_TRANSIENT_RETRIES + 5; n += 1) await pass(6 * 60_000);
    expect(runs(workflowId).length).toBe(MAX_TRANSIENT_RETRIES + 1);
    expect(store.workflows.get(workflowId)).toMatchObject({
      status: 'paused',
      statusReason: expect.stringContaining('a bug') as string,
    });
  });

  it('[OF-4] of the outside never pause the workflow, and do not count toward failures of its code', async () => {
    const { add, publish, runs, outside, pass, store } = startEngine();
    const workflowId = await add(POSTER);
    const retries = MAX_TRANSIENT_RETRIES * 2;
    for (let n = 0; n < retries; n += 1) outside.answers.push(refused);
    const wrong = { type: 'failed', errorType: 'logic', error: 'rejected' } as const;
    outside.answers.push(wrong);
    await publish(workflowId, 'in', 'm1');
    for (let n = 0; n < retries; n += 1) await pass(6 * 60_000);
    expect(runs(workflowId).length).toBe(retries + 1);
    expect(store.events.setAside()).toEqual([]);
    expect(store.workflows.get(workflowId)?.status).toBe('active');
    await pass(6 * 60_000);
    expect(outside.arrived.length).toBe(retries + 2);
    expect(runs(workflowId).at(-1)?.state.phase).toBe('committed');
  });
});

describe('a consumer that woke by its own wish, without an event', () => {
  const WAKER = `
    import { workflow } from 'holdfast';
    export default workflow({ name: 'Waker', uses: { outside: {} }, topics: ['in'], consumers: {
      look: { subscribes: 'in', async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        if (event) return { reservations: [event], wakeAt: ctx.now + 60_000 };
        await ctx.tools.outside.get({});
      } },
    } });`;

  async function wakeInto(errorType: 'network' | 'logic' | 'auth', times: number) {
    const under = startEngine();
    const workflowId = await under.add(WAKER);
    await under.publish(workflowId, 'in', 'm1');
    const failed = { type: 'failed', errorType, error: 'not now' } as const;
    for (let n = 0; n < times; n += 1) under.outside.reads.push(failed);
    await under.pass(60_000);
    const phases = (): string[] => under.runs(workflowId).map(({ state }) => state.phase);
    return { ...under, workflowId, phases };
  }

  it('[EN-39] [EN-7] is retried after a transient failure', async () => {
    const { phases, pass } = await wakeInto('network', 1);
    expect(phases()).toEqual(['committed', 'failed']);
    await pass(10_000);
    expect(phases()).toEqual(['committed', 'failed', 'committed']);
    await pass(600_000);
    expect(phases().length).toBe(3);
  });

  it.each(['logic', 'auth'] as const)(
    '[EN-39] looks again when a person resumes it after an error of type %s',
    async (errorType) => {
      const { phases, engine, workflowId, idle } = await wakeInto(errorType, 1);
      engine.commands.resume(workflowId);
      await idle();
      expect(phases()).toEqual(['committed', 'failed', 'committed']);
    },
  );

  it('[EN-39] is tried again after a crash', async () => {
    const under = startEngine();
    const workflowId = await under.add(WAKER);
    await under.publish(workflowId, 'in', 'm1');
    under.dieAt('prepare:before');
    await under.pass(60_000);
    const again = under.crash();
    await again.idle();
    const phases = again.runs(workflowId).map(({ state }) => state.phase);
    expect(phases.toSorted()).toEqual(['committed', 'committed', 'failed']);
  });

  it('[EN-39] is tried at its time after an event was set aside', async () => {
    const { add, publish, pass, runs, store } = startEngine();
    const workflowId = await add(
      WAKER.replace(
        'if (event) return',
        `if (event?.messageId === 'bad') throw new Error('no'); if (event) return`,
      ),
    );
    await publish(workflowId, 'in', 'm1');
    const bad = await publish(workflowId, 'in', 'bad');
    for (let n = 0; n < LOGIC_FAILURES_BEFORE_ASIDE; n += 1) await pass(10_000);
    expect(store.events.get(bad)?.state).toMatchObject({ reason: 'set_aside' });
    const before = runs(workflowId).length;
    await pass(60_000);
    expect(runs(workflowId).length).toBe(before + 1);
  });
});

describe('a service that asks to wait', () => {
  const wait = (retryAfterMs: number) => ({ ...refused, retryAfterMs }) as const;

  it('[EN-35] gets its effect again after the time that it asked for, not before', async () => {
    const { add, publish, outside, pass } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push(wait(30_000), { ...wait(40_000), type: 'not_sent' });
    await publish(workflowId, 'in', 'm1');
    await pass(29_999);
    expect(outside.arrived.length).toBe(1);
    await pass(1);
    expect(outside.arrived.length).toBe(2);
    await pass(39_999);
    expect(outside.arrived.length).toBe(2);
    await pass(1);
    expect(outside.arrived.length).toBe(3);
  });

  it('[EN-35] a shorter time than the backoff does not shorten the backoff', async () => {
    const { add, publish, outside, pass } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push(wait(1));
    await publish(workflowId, 'in', 'm1');
    await pass(999);
    expect(outside.arrived.length).toBe(1);
    await pass(1);
    expect(outside.arrived.length).toBe(2);
  });

  it('[EN-35] a longer time than a day counts as a day', async () => {
    const { add, publish, outside, store } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push(wait(1e12));
    await publish(workflowId, 'in', 'm1');
    expect(store.consumerWakes.get(workflowId, 'post').notBefore).toBe(
      store.clock.now() + MAX_RETRY_AFTER_MS,
    );
    expect(MAX_RETRY_AFTER_MS).toBe(86_400_000);
  });

  it('[EN-35] is read again after the time that it asked for', async () => {
    const { add, outside, pass, runs } = startEngine();
    outside.reads.push(wait(30_000));
    const workflowId = await add(`
      import { workflow } from 'holdfast';
      export default workflow({
        name: 'Reader', uses: { outside: {} }, topics: ['in'],
        producers: { read: { schedule: { every: '1h' }, async run(ctx) {
          await ctx.tools.outside.get({});
        } } },
        consumers: { take: { subscribes: 'in', async prepare() {} } },
      });`);
    await pass(29_999);
    expect(runs(workflowId).length).toBe(1);
    await pass(1);
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
  });

  it('[EN-35] is asked about an unknown outcome after the time that it asked for', async () => {
    const { add, publish, outside, pass } = startEngine({ canReconcile: true });
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'no reply' });
    outside.reconciles.push({ type: 'unknown', error: 'busy', retryAfterMs: 30_000 });
    await publish(workflowId, 'in', 'm1');
    await pass(29_999);
    expect(outside.asked).toBe(1);
    await pass(1);
    expect(outside.asked).toBe(2);
  });
});

describe('missing permissions', () => {
  it('[EN-8] suspend the run and block the workflow until the permission is granted', async () => {
    const { add, publish, runs, outside, store, library, idle } = startEngine();
    const workflowId = await add(POSTER);
    store.grants.remove(workflowId, 'outside');
    const eventId = await publish(workflowId, 'in', 'm1');
    await publish(workflowId, 'in', 'm2');
    expect(outside.arrived).toEqual([]);
    expect(runs(workflowId).map(({ state }) => state)).toMatchObject([
      { phase: 'suspended', reason: 'approval', error: expect.stringContaining('may not use') },
    ]);
    expect(store.events.get(eventId)?.state.status).toBe('reserved');
    library.grant(workflowId, 'outside', {});
    await idle();
    expect(outside.arrived.length).toBe(2);
    const all = runs(workflowId);
    expect(all.map(({ state }) => state.phase)).toEqual(['failed', 'committed', 'committed']);
    expect(all[1]?.retryOf).toBe(all[0]?.id);
  });

  it('[EN-8] an auth failure suspends the run; resuming sends the effect in a new run', async () => {
    const { add, publish, runs, outside, engine, idle } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'failed', errorType: 'auth', error: 'who are you' });
    await publish(workflowId, 'in', 'm1');
    expect(runs(workflowId)[0]?.state).toMatchObject({ phase: 'suspended', reason: 'approval' });
    engine.commands.resume(workflowId);
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
    expect(outside.arrived.length).toBe(2);
  });
});

describe('a clock that is set back', () => {
  it('[EN-38] does not keep a consumer from its retry', async () => {
    const { add, publish, outside, store, engine, idle } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'not_sent', errorType: 'network', error: 'offline' });
    await publish(workflowId, 'in', 'm');
    await store.clock.advance(-86_400_000);
    engine.wake(workflowId);
    await idle();
    expect(outside.arrived.length).toBe(2);
  });

  it('[EN-38] does not put off the check of an unknown outcome', async () => {
    const { add, publish, outside, store, engine, idle } = startEngine({ canReconcile: true });
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'timeout' });
    await publish(workflowId, 'in', 'm');
    const { asked } = outside;
    await store.clock.advance(-86_400_000);
    engine.wake(workflowId);
    await idle();
    expect(outside.asked).toBe(asked + 1);
  });

  it('[EN-38] does not put off a wake for longer than the longest wake', async () => {
    const { add, publish, runs, store, engine, idle } = startEngine();
    const workflowId = await add(`
      import { workflow } from 'holdfast';
      export default workflow({ name: 'Sleeper', topics: ['in'], consumers: {
        sleep: { subscribes: 'in', prepare: async (ctx) => ({ wakeAt: ctx.now + 3_600_000 }) },
      } });`);
    await publish(workflowId, 'in', 'm');
    expect(runs(workflowId).length).toBe(1);
    await store.clock.advance(-2 * MAX_WAKE_MS);
    engine.wake(workflowId);
    await idle();
    expect(runs(workflowId).length).toBe(2);
  });
});

describe('logic failures', () => {
  const bad = { type: 'failed', errorType: 'logic', error: 'never like this' } as const;

  it('[EN-9] set a poison event aside and handle the next; a rerun is a new attempt with a new effect', async () => {
    const { add, publish, outside, pass, store, engine, idle } = startEngine();
    const workflowId = await add(POSTER);
    for (let n = 0; n < LOGIC_FAILURES_BEFORE_ASIDE; n += 1) outside.answers.push(bad);
    const poison = await publish(workflowId, 'in', 'poison');
    await store.clock.advance(1);
    const good = await publish(workflowId, 'in', 'good');
    for (let n = 0; n < 5; n += 1) await pass(10_000);
    expect(store.events.get(poison)?.state).toMatchObject({
      status: 'skipped',
      reason: 'set_aside',
      error: expect.stringContaining('never like this') as string,
    });
    expect(store.events.get(good)?.state.status).toBe('consumed');
    expect(store.workflows.get(workflowId)?.status).toBe('active');
    expect(store.events.setAside().map(({ id }) => id)).toEqual([poison]);
    const before = outside.arrived.at(-1)?.effectId;
    engine.commands.rerunEvent(poison);
    await idle();
    expect(store.events.get(poison)?.state).toMatchObject({ status: 'consumed', attempt: 2 });
    expect(outside.arrived.at(-1)?.effectId).not.toBe(before);
    expect(store.events.setAside()).toEqual([]);
  });

  it('[EN-9] pause the workflow after several events in a row, and set no more aside', async () => {
    const { add, publish, outside, pass, store } = startEngine();
    const workflowId = await add(POSTER);
    for (let n = 0; n < 50; n += 1) outside.answers.push(bad);
    for (let n = 0; n < 6; n += 1) {
      await publish(workflowId, 'in', `m${n}`);
      await store.clock.advance(1);
    }
    for (let n = 0; n < 20; n += 1) await pass(60_000);
    expect(store.events.setAside().length).toBe(ASIDE_IN_A_ROW_BEFORE_PAUSE);
    expect(store.workflows.get(workflowId)).toMatchObject({
      status: 'paused',
      statusReason: '"post": several events in a row were set aside: never like this',
    });
    expect(outside.arrived.length).toBe(LOGIC_FAILURES_BEFORE_ASIDE * ASIDE_IN_A_ROW_BEFORE_PAUSE);
  });

  const readsWith = (before: string, after: string): string => `
      import { workflow } from 'holdfast';
      export default workflow({ name: 'P', topics: ['in'], consumers: { c: {
        subscribes: 'in', publishes: [],
        async prepare(ctx) {
          ${before}
          const [event] = await ctx.peek('in', { limit: 1 });
          if (event?.payload === 'bad') ${after}
          return { reservations: event ? [event] : [] };
        } } } });`;

  it.each([
    ['a thrown error', `throw new Error('cannot read it');`],
    // The phase ends without reporting its calls.
    ['an unhandled rejection', `Promise.reject(new Error('cannot read it'));`],
  ])('[EN-9] %s in prepare sets aside the event that it peeked at', async (_what, after) => {
    const { add, publish, pass, store } = startEngine();
    const workflowId = await add(readsWith('', after));
    const poison = await publish(workflowId, 'in', 'p', 'bad');
    await store.clock.advance(1);
    const good = await publish(workflowId, 'in', 'g', 'good');
    for (let n = 0; n < 5; n += 1) await pass(10_000);
    expect(store.events.get(poison)?.state).toMatchObject({ reason: 'set_aside' });
    expect(store.events.get(good)?.state.status).toBe('consumed');
  });

  it('[EN-9] an error before any peek sets no event aside', async () => {
    const { add, publish, pass, store } = startEngine();
    const workflowId = await add(readsWith(`throw new Error('broken before');`, ''));
    const event = await publish(workflowId, 'in', 'p', 'fine');
    for (let n = 0; n < 5; n += 1) await pass(10_000);
    expect(store.events.get(event)?.state.status).toBe('pending');
  });
});

describe('failures after the effect', () => {
  const FAILS_IN_NEXT = POSTER.replace(
    'const { messageId } = prepared.reservations[0];',
    "throw new Error('next is broken');",
  );

  it('[EN-10] suspend the run, which a fixed version finishes without sending again', async () => {
    const engineUnderTest = startEngine();
    const { add, publish, runs, outside, store, library, idle } = engineUnderTest;
    const workflowId = await add(FAILS_IN_NEXT);
    const eventId = await publish(workflowId, 'in', 'm1');
    expect(runs(workflowId)[0]?.state).toMatchObject({
      phase: 'suspended',
      resumePhase: 'emitting',
      reason: 'logic',
    });
    expect(store.workflows.get(workflowId)).toMatchObject({
      status: 'paused',
      statusReason: expect.stringContaining('next is broken') as string,
    });
    await add(POSTER);
    library.activate(workflowId);
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
    expect(outside.arrived.length).toBe(1);
    expect(store.events.get(eventId)?.state.status).toBe('consumed');
    expect(store.handlerState.get(workflowId, 'post')?.state).toEqual({ last: 'm1' });
  });
});
