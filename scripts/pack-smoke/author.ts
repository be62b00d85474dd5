// What an author writes who has the package and nothing else. `npm run pack-smoke` compiles it against
// the installed package, as strictly as the compiler can, and then runs it. Where types were missing
// everything would be `any`, and the lines that expect an error would be errors themselves.
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
        // @ts-expect-error -- prepare() has no tools that act.
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
// @ts-expect-error -- nobody loses the answer of a read.
const impossible: Fault = 'lose the answer of the first http.get';

void test('an order whose answer gets lost is a question, and is sent once', async (t) => {
  assert.ok(impossible);
  const w = await testWorkflow(rope, {
    outside: { 'http.post': () => ({ status: 201 }) },
    faults: [lost],
    after: (close) => t.after(close),
  });
  await w.publish('order', { id: 'o-1', title: 'An order' });
  const [run]: (RunRecord | undefined)[] = await w.runs('place');
  assert.strictEqual(run?.effect, 'indeterminate');
  // @ts-expect-error -- that is no way to settle anything.
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
