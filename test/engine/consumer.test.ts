import { describe, expect, it } from 'vitest';
import { effectId } from '#shared/ids.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { POSTER, startEngine } from '#test/support/start-engine.ts';

describe('consumer run', () => {
  it('[EN-1] sends the effect, publishes, and stores run, event, effect, state and reservation', async () => {
    const { add, publish, runs, store, outside } = startEngine();
    const workflowId = await add(POSTER);
    const eventId = await publish(workflowId, 'in', 'm1', { n: 7 });
    expect(outside.arrived).toEqual([
      {
        effectId: effectId(workflowId, 'post', [{ eventId, attempt: 1 }]),
        params: { data: { n: 7 } },
      },
    ]);
    const [run] = runs(workflowId);
    expect(run).toMatchObject({
      handlerName: 'post',
      inputState: null,
      state: { phase: 'committed', outputState: { last: 'm1' } },
      prepareResult: {
        reservations: [{ eventId, attempt: 1, topic: 'in' }],
        data: { n: 7 },
        ui: { title: 'Post m1' },
      },
    });
    expect(Object.keys(run?.timeline ?? {})).toEqual([
      'prepared',
      'mutating',
      'mutated',
      'emitting',
      'committed',
    ]);
    expect(store.events.get(eventId)?.state).toEqual({
      status: 'consumed',
      attempt: 1,
      reservedByRunId: run?.id,
    });
    expect(store.mutations.ofRun(run?.id ?? '')?.state).toEqual({
      status: 'applied',
      result: { ok: true },
    });
    expect(store.handlerState.get(workflowId, 'post')?.state).toEqual({ last: 'm1' });
    const out = store.topics.ensure(workflowId, 'out');
    expect(store.events.peek(out.id, 5)).toMatchObject([
      {
        messageId: 'm1',
        payload: { status: 'applied', result: { ok: true } },
        createdByRunId: run?.id,
      },
    ]);
    expect(store.db.all('SELECT * FROM reservations')).toEqual([
      { event_id: eventId, attempt_number: 1, handler_run_id: run?.id },
    ]);
  });

  it('[EN-23] reserves an event whose payload and prepare data together exceed the payload limit', async () => {
    const { add, publish, runs, outside } = startEngine();
    const workflowId = await add(POSTER);
    const large = 'x'.repeat(0.6 * MAX_PAYLOAD_BYTES);
    await publish(workflowId, 'in', 'm1', large);
    expect(runs(workflowId).at(-1)?.state.phase).toBe('committed');
    expect(outside.arrived.at(-1)?.params).toEqual({ data: large });
  });

  it('[EN-1] commits checkpoint, in flight, outcome and run in this order, and sends after in flight', async () => {
    const { add, publish, steps } = startEngine();
    const workflowId = await add(POSTER);
    await publish(workflowId, 'in', 'm1');
    expect(steps).toEqual([
      'prepare:before',
      'prepare:after',
      'in_flight:before',
      'in_flight:after',
      'send:before',
      'send:after',
      'outcome:before',
      'outcome:after',
      'commit:before',
      'commit:after',
    ]);
  });

  it('[EN-1] the ledger has the effect in flight while the call is made', async () => {
    const { add, publish, outside, store } = startEngine();
    const workflowId = await add(POSTER);
    let seen: unknown;
    outside.answers.push(() => {
      seen = store.db.get('SELECT status, idempotency_key AS key FROM mutations');
      return { type: 'applied', result: null };
    });
    await publish(workflowId, 'in', 'm1');
    expect(seen).toEqual({ status: 'in_flight', key: outside.arrived[0]?.effectId });
  });

  it('[EN-3] handles pending events oldest first, one at a time', async () => {
    const { add, publish, store, outside, engine, idle } = startEngine();
    const workflowId = await add(POSTER);
    engine.commands.pause(workflowId, '');
    for (const id of ['c', 'a', 'b']) {
      await publish(workflowId, 'in', id, id);
      await store.clock.advance(1);
    }
    expect(outside.arrived).toEqual([]);
    let atOnce = 0;
    let most = 0;
    for (let n = 0; n < 3; n += 1) {
      outside.answers.push(async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setImmediate(resolve));
        atOnce -= 1;
        return { type: 'applied', result: null };
      });
    }
    engine.commands.resume(workflowId);
    await idle();
    expect(outside.arrived.map(({ params }) => params)).toEqual([
      { data: 'c' },
      { data: 'a' },
      { data: 'b' },
    ]);
    expect(most).toBe(1);
  });

  it('[EN-3] [EV-10] of two topics, the event that came first goes first, also after the clock was set back', async () => {
    const { add, publish, store, outside, engine, idle } = startEngine();
    const second = `post2: { subscribes: 'more', prepare: async (ctx) => {
        const [event] = await ctx.peek('more', { limit: 1 });
        return event && { reservations: [event], data: event.payload };
      }, mutate: (ctx, { data }) => ctx.tools.outside.post({ data }) },
    post: {`;
    const workflowId = await add(
      POSTER.replace("['in', 'out']", "['in', 'out', 'more']").replace('post: {', second),
    );
    engine.commands.pause(workflowId, '');
    for (const [n, topic] of ['in', 'more', 'in', 'more'].entries()) {
      await publish(workflowId, topic, `m${n}`, n);
      await store.clock.advance(-60_000);
    }
    engine.commands.resume(workflowId);
    await idle();
    expect(outside.arrived.map(({ params }) => params)).toEqual(
      [0, 1, 2, 3].map((data) => ({ data })),
    );
  });

  it('[EN-3] two workflows run at the same time', async () => {
    const { add, publish, outside } = startEngine();
    const one = await add(POSTER, 'one');
    const two = await add(POSTER.replace(`'Poster'`, `'Second'`), 'two');
    // Each call waits for the other one to arrive, so sequential calls would never end.
    let release: () => void = () => undefined;
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const meet = async () => {
      if (outside.arrived.length === 2) release();
      await both;
      return { type: 'applied', result: null } as const;
    };
    outside.answers.push(meet, meet);
    await Promise.all([publish(one, 'in', 'm'), publish(two, 'in', 'm')]);
    expect(outside.arrived.length).toBe(2);
  });

  it('[EN-11] a known effect is answered from the ledger and not sent again', async () => {
    const { add, publish, store, outside, runs, engine, idle } = startEngine();
    const workflowId = await add(POSTER);
    const eventId = await publish(workflowId, 'in', 'm1');
    // A merge can leave this: the event is pending although its effect is in the ledger.
    store.db.run('SELECT crsql_internal_sync_bit(1)');
    store.db.run(
      `UPDATE events SET progress = json_set(progress, '$.status', 'pending') WHERE id = ?`,
      eventId,
    );
    store.db.run('SELECT crsql_internal_sync_bit(0)');
    engine.wake(workflowId);
    await idle();
    expect(outside.arrived.length).toBe(1);
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed', 'committed']);
    expect(store.events.get(eventId)?.state.status).toBe('consumed');
  });
});

const consumer = (body: string): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Rules',
  uses: { outside: {} },
  topics: ['in', 'out', 'other'],
  producers: { never: { schedule: { cron: '0 0 1 1 *' }, publishes: ['other'], run() {} } },
  consumers: { c: { subscribes: 'in', publishes: ['out'], ${body} } },
});`;
const PREPARE = `async prepare(ctx) {
  const [event] = await ctx.peek('in', { limit: 1 });
  return { reservations: event ? [event] : [], data: event?.payload };
},`;

describe('phase rules', () => {
  const cases: [string, string, RegExp][] = [
    [
      'an effect in prepare',
      `async prepare(ctx) { await ctx.tools.outside.post({}); return {}; }`,
      /prepare\(\) can't make an effect\. Call outside\.post in mutate/,
    ],
    [
      'a read in mutate',
      `${PREPARE} async mutate(ctx) { await ctx.tools.outside.get({}); }`,
      /mutate\(\) may only make its one effect; it can't call outside\.get/,
    ],
    [
      'two effects at once',
      `${PREPARE} async mutate(ctx) {
         await Promise.all([ctx.tools.outside.post({ a: 1 }), ctx.tools.outside.post({ b: 1 })]);
       }`,
      /mutate\(\) made more than one effect/,
    ],
    [
      'an effect whose error is caught',
      `async prepare(ctx) { try { await ctx.tools.outside.post({}); } catch {} return {}; }`,
      /prepare\(\) can't make an effect/,
    ],
    [
      'a publish in prepare',
      `async prepare(ctx) { await ctx.publish('out', { id: 'x', title: 'x' }); return {}; }`,
      /prepare\(\) can't call ctx\.publish/,
    ],
    [
      'a read in next',
      `${PREPARE} async next(ctx) { await ctx.tools.outside.get({}); }`,
      /next\(\) can't call outside\.get/,
    ],
    [
      "a peek at a topic that it doesn't subscribe to",
      `async prepare(ctx) { await ctx.peek('out', { limit: 1 }); return {}; }`,
      /doesn't subscribe to "out"/,
    ],
    [
      'a reservation of an unknown event',
      `async prepare(ctx) { return { reservations: ['nonsense'] }; }`,
      /reserved "nonsense", which is not an event/,
    ],
    [
      'an unreadable wakeAt',
      `async prepare() { return { wakeAt: 'soon' }; }`,
      /invalid wakeAt: soon/,
    ],
    [
      'an unknown field in the result',
      `async prepare() { return { reserved: [] }; }`,
      /prepare\(\) returned an invalid result/,
    ],
    ['a thrown error', `async prepare() { throw new Error('boom'); }`, /boom/],
  ];

  it.each(cases)('[EN-2] %s is a logic error, and nothing is sent', async (_name, body, error) => {
    const { add, publish, runs, outside, store } = startEngine();
    const workflowId = await add(consumer(body));
    const eventId = await publish(workflowId, 'in', 'm1');
    expect(runs(workflowId)[0]?.state).toMatchObject({
      phase: 'failed',
      errorType: 'logic',
      error: expect.stringMatching(error) as string,
    });
    expect(outside.arrived).toEqual([]);
    expect(['pending', 'skipped']).toContain(store.events.get(eventId)?.state.status);
  });

  it('[EN-2] an effect in next suspends the run, and only the effect of mutate was sent', async () => {
    const { add, publish, runs, outside } = startEngine();
    const workflowId = await add(
      consumer(`${PREPARE} async mutate(ctx) { await ctx.tools.outside.post({}); },
        async next(ctx) { await ctx.tools.outside.post({}); }`),
    );
    await publish(workflowId, 'in', 'm1');
    expect(outside.arrived.length).toBe(1);
    expect(runs(workflowId)[0]?.state).toMatchObject({ phase: 'suspended', reason: 'logic' });
  });

  it('[EN-6] publishing to an undeclared topic is a logic error', async () => {
    const { add, publish, runs } = startEngine();
    const workflowId = await add(
      consumer(
        `${PREPARE} async next(ctx) { await ctx.publish('other', { id: 'x', title: 'x' }); }`,
      ),
    );
    await publish(workflowId, 'in', 'm1');
    expect(runs(workflowId)[0]?.state).toMatchObject({
      phase: 'failed',
      errorType: 'logic',
      error: expect.stringContaining('doesn\'t list "other" in "publishes"') as string,
    });
  });

  it('[EN-4] without reservations mutate is skipped, next gets status none, and the consumer sleeps until the next event', async () => {
    const { add, publish, runs, outside } = startEngine();
    const workflowId = await add(
      consumer(`async prepare(ctx) { await ctx.peek('in', { limit: 1 }); return { reservations: [] }; },
        async mutate(ctx) { await ctx.tools.outside.post({}); },
        async next(ctx, prepared, outcome) { return outcome; }`),
    );
    await publish(workflowId, 'in', 'm1');
    expect(outside.arrived).toEqual([]);
    expect(runs(workflowId).map(({ state }) => state)).toMatchObject([
      { phase: 'committed', outputState: { status: 'none' } },
    ]);
    await publish(workflowId, 'in', 'm2');
    expect(runs(workflowId).length).toBe(2);
  });

  it('[EN-4] wakeAt runs the consumer again, but not before 30 seconds', async () => {
    const { add, publish, runs, pass, store } = startEngine();
    const workflowId = await add(
      consumer(`async prepare(ctx) { return { wakeAt: ctx.now + 1000 }; }`),
    );
    await publish(workflowId, 'in', 'm1');
    expect(runs(workflowId).length).toBe(1);
    expect(store.workflows.get(workflowId)?.consumerSleepUntil).toBe(store.clock.now() + 30_000);
    await pass(29_000);
    expect(runs(workflowId).length).toBe(1);
    await pass(1500);
    expect(runs(workflowId).length).toBe(2);
  });
});
