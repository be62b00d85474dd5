// Numbers: what came in goes out, digit for digit, or is refused by name.
import { expectSame, expectThat } from '#test/blackbox/harness/expect.ts';
import { Hook } from '#test/blackbox/harness/hook.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { takeOldest } from '#test/blackbox/harness/source.ts';
import type { Workflow } from '#test/blackbox/harness/workflow.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const numbers = theme('numbers');
const { scenario } = numbers;

const HUGE = '12345678901234567891';

/** Every way in, with this number as it is written. True: it was taken. */
const WAYS_IN: {
  readonly [way: string]: (orders: Workflow, digits: string) => Promise<boolean>;
} = {
  'by webhook': async (orders, digits) => {
    const hook = await Hook.create(orders);
    const { status } = await hook.post(`{"total":${digits}}`);
    return status === 202;
  },
  'by the API': async ({ host, id }, digits) => {
    const event = JSON.stringify({
      workflowId: id,
      topic: 'in',
      messageId: 'n',
      title: 'n',
      payload: 0,
    });
    const body = event.replace(/0}$/, `{"total":${digits}}}`);
    return (await host.send('/api/call/events.publish', body)).status === 200;
  },
  'by "publish"': async ({ host, id }, digits) => {
    return (await host.cli('publish', id, 'in', `{"total":${digits}}`)).code === 0;
  },
  'by "start"': async ({ host, id }, digits) => {
    return (await host.cli('start', id, '--input', `{"total":${digits}}`)).code === 0;
  },
};

/** What the service got for this number, or null if it was refused on the way in. */
async function sent(w: World, orders: Workflow, isTaken: boolean): Promise<string | null> {
  if (!isTaken) return null;
  const outside = await w.outside();
  await w.until(
    'it was filed, or it was refused',
    async () => ({ filed: outside.count(), inbox: await orders.inbox() }),
    ({ filed, inbox }) => filed > 0 || inbox.length > 0,
  );
  return outside.done()[0]?.text ?? null;
}

for (const [way, comeIn] of Object.entries(WAYS_IN)) {
  scenario(`a number of twenty digits that comes ${way} is not changed`, async (w) => {
    const orders = await w.filing(await w.host(), { base: 'orders' });
    const text = await sent(w, orders, await comeIn(orders, HUGE));
    expectThat(
      'the service got every digit, or the sender got a refusal',
      text === null || text.includes(HUGE),
      text,
    );
  });
}

scenario(
  'two orders whose numbers differ in the last of sixteen digits are two',
  async (w) => {
    const orders = await w.filing(await w.host(), { base: 'orders' });
    const hook = await Hook.create(orders, '--dedup', 'path:id');
    const first = await hook.post('{"id":9007199254740992}');
    const second = await hook.post('{"id":9007199254740993}');
    const isRefused = first.status === 400 && second.status === 400;
    const listed = await orders.inputs();
    expectThat('both came in, or both were refused', isRefused || listed.length === 2, {
      statuses: [first.status, second.status],
      inputs: listed.length,
    });
  },
  { quick: true },
);

scenario(
  'a number of twenty digits that a service answers is not changed on the way on',
  async (w) => {
    const outside = await w.outside();
    outside.page('/next-number', `{"next":${HUGE}}`);
    const orders = await w.filing(await w.host(), {
      base: 'orders',
      prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (!event) return;
      const { json, text } = await ctx.tools.http.get({ url: '${outside.url}/next-number' });
      return { reservations: [event], data: json === undefined ? text : json };`,
    });
    await orders.publish('o-1', 1);
    const text = await sent(w, orders, true);
    expectThat('every digit', text === null || text.includes(HUGE), text);
  },
);

for (const [what, literal] of [
  ['a price with twenty digits', '123456789.12345678912'],
  ['a number too large for a computer', '1e400'],
  ['a negative number of thirty digits', '-123456789012345678901234567890'],
] as const) {
  scenario(`${what} goes out with its digits`, async (w) => {
    const outside = await w.outside();
    const orders = await w.filing(await w.host(), { base: 'orders' });
    const hook = await Hook.create(orders);
    await hook.post(`{"n":${literal}}`);
    await orders.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), [{ n: literal }]);
  });
}

scenario('a large number inside of a text stays as it is', async (w) => {
  const outside = await w.outside();
  const orders = await w.filing(await w.host(), { base: 'orders' });
  const hook = await Hook.create(orders);
  await hook.post(`{"note":"account ${HUGE}","id":"${HUGE}"}`);
  await orders.untilCommitted(1);
  expectSame('what was filed', outside.bodies(), [{ id: HUGE, note: `account ${HUGE}` }]);
});

for (const [what, literal] of [
  ['the largest safe whole number', '9007199254740991'],
  ['a cent', '0.01'],
  ['a sum with a rounding error', '0.30000000000000004'],
  ['a negative number', '-1234.5'],
  ['a very small number', '5e-324'],
  ['a number with an exponent', '1.5e+3'],
  ['zero', '0'],
] as const) {
  scenario(`${what} goes out as it came in`, async (w) => {
    const outside = await w.outside();
    const orders = await w.filing(await w.host(), { base: 'orders' });
    const hook = await Hook.create(orders);
    await hook.post(`{"n":${literal}}`);
    await orders.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), [{ n: Number(literal) }]);
  });
}

scenario('a number that is no number is refused by the workflow’s own step', async (w) => {
  const outside = await w.outside();
  const orders = await w.filing(await w.host(), {
    base: 'orders',
    prepare: takeOldest().replace('data: event.payload', 'data: { n: 0 / 0 }'),
  });
  await orders.publish('o-1', 1);
  await w.until(
    'it is refused',
    () => orders.runs(),
    (runs) => runs.some(({ phase }) => phase === 'failed'),
  );
  expectSame('what was filed', outside.count(), 0);
});
