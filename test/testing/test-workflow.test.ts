// The testing kit with workflows written as objects.
import { expect, onTestFinished, test } from 'vitest';
import { testWorkflow, type Fault } from 'holdfast/testing';
import { workflow, type Prepared } from 'holdfast';

/** Posts each order to a shop and publishes an event. */
const order = workflow({
  name: 'order',
  uses: { http: { hosts: ['shop.example.org'] } },
  topics: ['wanted', 'placed'],
  consumers: {
    place: {
      subscribes: 'wanted',
      publishes: ['placed'],
      async prepare(ctx) {
        const [event] = await ctx.peek('wanted', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: event.payload, ui: { title: event.title } };
      },
      async mutate(ctx, prepared: Prepared<{ what: string }>) {
        await ctx.tools.http.post({ url: 'https://shop.example.org/orders', json: prepared.data });
      },
      async next(ctx, prepared, outcome) {
        console.log(outcome.status);
        if (outcome.status !== 'applied') return null;
        const id = prepared.reservations[0]?.messageId ?? '';
        await ctx.publish('placed', { id, title: 'Placed', payload: outcome.result });
        return { last: id };
      },
    },
    note: {
      subscribes: 'placed',
      async prepare(ctx) {
        return { reservations: await ctx.peek('placed') };
      },
    },
  },
});

const accept = { 'http.post': () => ({ status: 201, json: { ok: true } }) };

function start(faults: Fault[] = []) {
  return testWorkflow(order, { outside: accept, faults, after: onTestFinished });
}

test('[TK-1] a workflow runs in the real engine; the test reads runs, effects, events, state and log', async () => {
  const t = await start();
  await t.publish('wanted', { id: 'o-1', title: 'A rope', payload: { what: 'rope' } });
  expect(await t.runs()).toMatchObject([
    { handler: 'place', title: 'A rope', phase: 'committed', effect: 'applied' },
    { handler: 'note', phase: 'committed', effect: null },
  ]);
  expect(await t.effects('http.post')).toMatchObject([
    { status: 'applied', params: { json: { what: 'rope' } }, result: { status: 201 } },
  ]);
  expect(t.events('placed')).toEqual([
    {
      topic: 'placed',
      id: 'o-1',
      title: 'Placed',
      payload: { status: 201, json: { ok: true } },
      status: 'consumed',
    },
  ]);
  expect(t.state('place')).toEqual({ last: 'o-1' });
  expect(await t.logs()).toEqual(['applied']);
  t.assertNothingTwice();
  await t.assertDone();
});

test('[TK-2] after a lost reply the outcome is unknown until it is settled as happened', async () => {
  const t = await start(['lose the answer of the second http.post']);
  for (const id of ['o-1', 'o-2', 'o-3']) await t.publish('wanted', { id, payload: { what: id } });
  expect(await t.inbox()).toMatchObject([{ type: 'unknown_effect' }]);
  expect(t.reached('http.post')).toHaveLength(2);
  await expect(t.assertDone()).rejects.toThrow(
    'The workflow is not done: the run of place is suspended',
  );
  await t.resolve('happened', { result: { status: 201 } });
  expect(t.reached('http.post').map(({ params }) => params)).toMatchObject([
    { json: { what: 'o-1' } },
    { json: { what: 'o-2' } },
    { json: { what: 'o-3' } },
  ]);
  await t.assertDone();
});

test('[TK-2] an unknown outcome can be settled as not happened, skipped, or sent again', async () => {
  const failed = await start(['lose the answer of the first effect']);
  await failed.publish('wanted', { id: 'o-1' });
  await failed.resolve('did-not-happen');
  expect((await failed.effects()).map(({ status }) => status)).toEqual(['failed', 'applied']);
  expect(failed.reached()).toHaveLength(2);
  expect(() => failed.assertNothingTwice()).toThrow('Effects happened more than once: http.post.');

  const skipped = await start(['lose the answer of the first effect']);
  await skipped.publish('wanted', { id: 'o-1' });
  await skipped.resolve('skip');
  expect(await skipped.logs()).toEqual(['skipped']);
  expect(skipped.events('placed')).toEqual([]);

  const sent = await start(['lose the answer of the first effect']);
  await sent.publish('wanted', { id: 'o-1' });
  await expect(sent.resolve('check')).rejects.toThrow();
  await sent.resolve('send-again');
  expect(new Set(sent.reached().map(({ effectId }) => effectId)).size).toBe(1);
  expect(sent.reached()).toHaveLength(2);
  await sent.assertDone();
});

test('[TK-3] crash before: nothing is sent, the outcome is unknown, and it is not sent automatically', async () => {
  const t = await start(['crash before the first http.post']);
  await t.publish('wanted', { id: 'o-1' });
  expect(t.reached()).toEqual([]);
  expect(await t.inbox()).toMatchObject([{ type: 'unknown_effect' }]);
  await t.resolve('did-not-happen');
  expect(t.reached()).toHaveLength(1);
  await t.assertDone();
});

test('[TK-3] crash after: the effect reached the outside once and is settled as happened', async () => {
  const t = await start(['crash after the first http.post']);
  await t.publish('wanted', { id: 'o-1' });
  expect(t.reached()).toHaveLength(1);
  await t.resolve('happened');
  expect(t.events('placed')).toMatchObject([{ id: 'o-1', payload: null }]);
  t.assertNothingTwice();
  await t.assertDone();
});

test('[TK-3] after a crash between events, done events stay done and new ones are processed', async () => {
  const t = await start();
  await t.publish('wanted', { id: 'o-1' });
  await t.crash();
  await t.publish('wanted', { id: 'o-1' });
  await t.publish('wanted', { id: 'o-2' });
  expect(t.reached()).toHaveLength(2);
  await t.assertDone();
});

test('[TK-4] pass() advances time: retries and schedules run when they are due', async () => {
  const t = await start(['cut the line before the first http.post']);
  await t.publish('wanted', { id: 'o-1' });
  expect(t.reached()).toEqual([]);
  expect((await t.runs()).at(-1)).toMatchObject({ phase: 'failed', effect: 'failed' });
  await t.pass('1m');
  expect(t.reached()).toHaveLength(1);
  await t.assertDone();

  const daily = await testWorkflow(
    {
      name: 'daily',
      topics: ['day'],
      producers: {
        nine: {
          schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
          publishes: ['day'],
          async run(ctx) {
            const id = new Date(ctx.now).toISOString();
            await ctx.publish('day', { id, title: id });
          },
        },
      },
    },
    { now: '2026-03-28T12:00:00Z', after: onTestFinished },
  );
  await daily.pass('2d');
  // The clocks went forward on the 29th.
  expect(daily.events('day').map(({ id }) => id)).toEqual([
    '2026-03-29T07:00:00.000Z',
    '2026-03-30T07:00:00.000Z',
  ]);
});

test('[TK-5] a call to another machine without a stand-in fails the test, and nothing is sent', async () => {
  const t = await testWorkflow(order, { after: onTestFinished });
  await expect(t.publish('wanted', { id: 'o-1' })).rejects.toThrow(
    'http.post would have reached shop.example.org, but a test may call only this machine.',
  );
  expect(t.reached()).toEqual([]);
});

test('[TK-5] an invalid fault, a fault that never fires, an unknown place and an invalid workflow throw', async () => {
  const nonsense = ['drop the second http.post'] as unknown as Fault[];
  await expect(testWorkflow(order, { faults: nonsense })).rejects.toThrow('is not a valid fault');
  const t = await testWorkflow(order, { outside: accept, faults: ['refuse the third http.post'] });
  await t.publish('wanted', { id: 'o-1' });
  await expect(t.close()).rejects.toThrow('"refuse the third http.post": calls of http.post: 1');
  await expect(testWorkflow(order, { places: { '~/Nowhere': '/' } })).rejects.toThrow(
    'The workflow does not contain "~/Nowhere".',
  );
  const broken = { ...order, topics: ['wanted'] };
  await expect(testWorkflow(broken)).rejects.toThrow('placed');
});

test('[TK-6] an effect with a check resolves a lost reply and a crash without a person', async () => {
  const asking = workflow({
    name: 'asking',
    uses: { http: { hosts: ['shop.example.org'] } },
    topics: ['wanted'],
    consumers: {
      place: {
        subscribes: 'wanted',
        async prepare(ctx) {
          return { reservations: await ctx.peek('wanted', { limit: 1 }) };
        },
        async mutate(ctx) {
          await ctx.tools.http.post({
            url: 'https://shop.example.org/orders',
            reconcile: {
              url: 'https://shop.example.org/orders/{effectId}',
              happenedWhen: { status: [200] },
              didNotHappenWhen: { status: [404] },
            },
          });
        },
      },
    },
  });
  const faults: Fault[] = ['lose the answer of the first effect', 'crash before the second effect'];
  const t = await testWorkflow(asking, { outside: accept, faults, after: onTestFinished });
  await t.publish('wanted', { id: 'o-1' });
  expect(t.reached()).toHaveLength(1);
  await t.assertDone();
  await t.publish('wanted', { id: 'o-2' });
  await t.pass('1m');
  expect(t.reached()).toHaveLength(2);
  t.assertNothingTwice();
  await t.assertDone();
});

test('[CO-11] a test reads costs in microdollars; a stand-in costs what its call says', async () => {
  const paid = workflow({
    name: 'paid',
    uses: { http: { hosts: ['llm.example.org'] } },
    topics: ['asked'],
    consumers: {
      answer: {
        subscribes: 'asked',
        async prepare(ctx) {
          const [event] = await ctx.peek('asked', { limit: 1 });
          if (!event) return;
          await ctx.tools.http.get({
            url: 'https://llm.example.org/models',
            cost: { header: 'X-Cost', usd: 0.01 },
          });
          return { reservations: [event] };
        },
        async mutate(ctx) {
          await ctx.tools.http.post({
            url: 'https://llm.example.org/answers',
            cost: [{ usd: 0.0005 }, { jsonPath: 'usage.tokens', usd: 0.000003 }],
          });
        },
      },
    },
  });
  const outside = {
    'http.get': () => ({ status: 200, headers: { 'x-cost': '1' } }),
    'http.post': () => ({ status: 200, json: { usage: { tokens: 1000 } } }),
  };
  const t = await testWorkflow(paid, { outside, after: onTestFinished });
  await t.publish('asked');
  expect(await t.effects()).toMatchObject([{ cost: 3500 }]);
  expect(await t.runs()).toMatchObject([{ phase: 'committed', cost: 13_500 }]);
});

test('[TK-1] [OH-2] a limit of the workflow holds in a test, and passing time lets the calls through', async () => {
  const limits = { 'shop.example.org': { perSecond: 1 } };
  const t = await testWorkflow(workflow({ ...order, limits }), {
    outside: accept,
    after: onTestFinished,
  });
  for (const id of ['o-1', 'o-2', 'o-3']) {
    await t.publish('wanted', { id, title: id, payload: { what: id } });
  }
  const applied = async () =>
    (await t.effects('http.post')).filter(({ status }) => status === 'applied').length;
  expect(await applied()).toBe(1);
  await t.pass(1000);
  expect(await applied()).toBe(2);
  await t.pass(1000);
  expect(await applied()).toBe(3);
});
