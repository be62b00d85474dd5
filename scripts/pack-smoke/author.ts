// Code of an author who has only the installed package. `npm run pack-smoke` compiles it in the strictest
// mode and runs it. If types were missing, everything would be `any`, and the unused @ts-expect-error
// lines would fail the compilation.
import assert from 'node:assert';
import { test } from 'node:test';
import { workflow } from 'holdfast';
import { testWorkflow, type Fault, type InputRecord, type RunRecord } from 'holdfast/testing';

const rope = workflow({
  name: 'rope',
  uses: { http: { hosts: ['shop.example.org'] } },
  topics: ['order'],
  consumers: {
    place: {
      subscribes: 'order',
      async prepare(ctx) {
        const [event] = await ctx.peek('order', { limit: 1 });
        // @ts-expect-error -- prepare() has no tools with effects.
        void ctx.tools.http.post;
        return event ? { reservations: [event], ui: { title: event.title } } : undefined;
      },
      async mutate(ctx) {
        await ctx.tools.http.post({ url: 'https://shop.example.org/orders', json: { rope: 1 } });
      },
    },
  },
});

const lost: Fault = 'lose the answer of the first http.post';
// @ts-expect-error -- only effects can lose their answer.
const impossible: Fault = 'lose the answer of the first http.get';

void test('an order whose answer is lost has an unknown outcome and is sent once', async (t) => {
  assert.ok(impossible);
  const w = await testWorkflow(rope, {
    outside: { 'http.post': () => ({ status: 201 }) },
    faults: [lost],
    after: (close) => t.after(close),
  });
  await w.publish('order', { id: 'o-1', title: 'An order' });
  const [run]: (RunRecord | undefined)[] = await w.runs('place');
  assert.strictEqual(run?.effect, 'indeterminate');
  // @ts-expect-error -- not one of the ways to settle.
  await assert.rejects(w.resolve('perhaps'));
  await w.resolve('happened');
  await w.assertDone();
  assert.strictEqual(w.reached('http.post').length, 1);
  const hook = await w.hook({ signs: 'github' });
  const { status, isDuplicate } = await hook.deliver({ rope: 2 });
  assert.deepStrictEqual([status, isDuplicate], [202, false]);
  const inputs: readonly InputRecord[] = await w.inputs();
  assert.strictEqual(inputs[0]?.status, 'succeeded');
});
