// Hooks and inputs in the testing kit.
import { expect, onTestFinished, test } from 'vitest';
import { testWorkflow, type WorkflowTest } from 'holdfast/testing';
import { workflow } from 'holdfast';

const orders = workflow({
  name: 'orders',
  uses: { http: { hosts: ['shop.example.org'] } },
  topics: ['order'],
  consumers: {
    place: {
      subscribes: 'order',
      async prepare(ctx) {
        const [event] = await ctx.peek<{ what: string }>('order', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : undefined;
      },
      async mutate(ctx, { data }) {
        await ctx.tools.http.post({ url: 'https://shop.example.org/orders', json: data });
      },
      async next(ctx, _prepared, outcome) {
        await ctx.complete({ ended: outcome.status });
      },
    },
  },
});

const shop = { 'http.post': () => ({ status: 201 }) };
const start = (more: Parameters<typeof testWorkflow>[1] = {}): Promise<WorkflowTest> =>
  testWorkflow(orders, { outside: shop, after: onTestFinished, ...more });

test.each(['bearer', 'github', 'stripe'] as const)(
  '[TK-8] a webhook signed as %s becomes an input that succeeds; a wrong secret gives 401 and no input',
  async (signs) => {
    const w = await start({ now: '2026-03-02T12:00:00Z' });
    const hook = await w.hook({ signs });
    const { status, inputId, isDuplicate } = await hook.deliver({ what: 'rope', password: 'x' });
    expect({ status, isDuplicate }).toEqual({ status: 202, isDuplicate: false });
    expect(await w.inputs()).toMatchObject([
      { id: inputId, kind: 'webhook', status: 'succeeded', effects: ['http.post'] },
    ]);
    const [input] = await w.inputs();
    expect(input?.result).toEqual({ ended: 'applied' });
    // Redacted before the workflow received it, and so also in what it sent.
    expect(input?.payload).toMatchObject({ what: 'rope' });
    expect(JSON.stringify([input?.payload, w.reached('http.post')])).not.toContain('"x"');
    expect(await hook.deliver({ what: 'rope' }, { secret: 'guessed' })).toMatchObject({
      status: 401,
      inputId: null,
    });
    expect(await w.inputs()).toHaveLength(1);
    await w.assertDone();
  },
);

test('[TK-8] a repeated delivery after a crash is a duplicate of the same input', async () => {
  const w = await start({ faults: ['crash after the first http.post'] });
  const hook = await w.hook({ dedup: { by: 'header', name: 'X-Delivery' } });
  const headers = { 'X-Delivery': 'd-1' };
  const first = await hook.deliver({ what: 'rope' }, { headers });
  expect(await w.inputs()).toMatchObject([{ status: 'needs_human', effects: [] }]);
  await expect(w.assertDone()).rejects.toThrow(/the input ".*" is needs_human/);
  expect(await hook.deliver({ what: 'rope' }, { headers })).toEqual({
    ...first,
    isDuplicate: true,
  });
  await w.resolve('happened');
  expect(await w.inputs()).toMatchObject([{ status: 'succeeded', result: { ended: 'applied' } }]);
  expect(w.reached('http.post')).toHaveLength(1);
  await w.assertDone();
});

test('[TK-8] invalid JSON is refused with 400 and the position, and gives no input', async () => {
  const w = await start();
  const hook = await w.hook();
  const refused = await hook.deliver('{"what": oops}');
  expect(refused).toMatchObject({ status: 400, inputId: null });
  expect(JSON.stringify(refused.answer)).toContain('position 9');
  expect(await w.inputs()).toEqual([]);
});

test('[NU-1] [TK-8] numbers that JavaScript would change arrive as text, as in production', async () => {
  const w = await start();
  const hook = await w.hook();
  await hook.deliver('{"what":12345678901234567891}');
  await w.publish('order', { payload: { what: 2 ** 53 } });
  expect(w.reached('http.post').map(({ params }) => params)).toMatchObject([
    { json: { what: '12345678901234567891' } },
    { json: { what: '9007199254740992' } },
  ]);
});

test('[TK-8] [AF-12] the artifacts that a handler wrote are part of the record of its input', async () => {
  const keeper = workflow({
    name: 'keeper',
    topics: ['order'],
    consumers: {
      keep: {
        subscribes: 'order',
        async prepare(ctx) {
          const [event] = await ctx.peek<{ what: string }>('order', { limit: 1 });
          return event ? { reservations: [event], data: event.payload } : undefined;
        },
        async next(ctx, { data, reservations: [event] }) {
          await ctx.artifacts.write({ name: 'receipt.txt', text: `one ${data.what}` });
          const list = await ctx.artifacts.list(event?.id ?? '');
          await ctx.complete(list.map(({ name }) => name));
        },
      },
    },
  });
  const w = await testWorkflow(keeper, { after: onTestFinished });
  await (await w.hook()).deliver({ what: 'rope' });
  const [input] = await w.inputs();
  expect(input?.artifacts).toEqual([
    { name: 'receipt.txt', type: 'text/plain', text: 'one rope', base64: btoa('one rope') },
  ]);
  expect(input?.result).toEqual(['payload.json', 'policy.json', 'sources.json']);
  await w.assertDone();
});
