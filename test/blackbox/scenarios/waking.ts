// Events that arrive while a workflow looks: none is forgotten, and the newest content counts.
import { expectSame } from '#test/blackbox/harness/expect.ts';
import { Hook } from '#test/blackbox/harness/hook.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { takeAtLeast } from '#test/blackbox/harness/source.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const waking = theme('waking');
const { scenario } = waking;

const PAIR = `
    if (events.length < 2) return;
    return { reservations: events, data: events.map(({ payload }) => payload) };`;

scenario(
  'two invoices that arrive together are both filed',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host(), { prepare: takeAtLeast(2) });
    for (let pair = 1; pair <= 6; pair += 1) {
      await Promise.all([
        invoices.publish(`${pair}a`, { pair }),
        invoices.publish(`${pair}b`, { pair }),
      ]);
      await invoices.untilDone();
    }
    expectSame('pairs that were filed', outside.count(), 6);
  },
  { quick: true },
);

scenario(
  'an invoice that comes while the first is being read is filed with it',
  async (w) => {
    const outside = await w.outside();
    const prepare = await readingFirst(w, PAIR);
    const invoices = await w.filing(await w.host(), { prepare });
    const reading = outside.hold('/rates');
    await invoices.publish('first', 1);
    await reading.arrived;
    await invoices.publish('second', 2);
    reading.release();
    await invoices.untilDone();
    expectSame('what was filed', outside.bodies(), [[1, 2]]);
  },
  { quick: true },
);

scenario('a webhook that comes while the workflow looks is not forgotten', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const invoices = await w.filing(host, { prepare: await readingFirst(w, PAIR) });
  const hook = await Hook.create(invoices);
  const reading = outside.hold('/rates');
  await invoices.publish('by hand', 1);
  await reading.arrived;
  const answer = await hook.post('{"by":"hook"}');
  expectSame('the answer to the sender', answer.status, 202);
  await w.until(
    'the hook’s event is there',
    () => invoices.events(),
    (events) => events.length === 2,
  );
  reading.release();
  await invoices.untilDone();
  expectSame('effects', outside.count(), 1);
});

for (const [first, second] of [
  ['order', 'payment'],
  ['payment', 'order'],
] as const) {
  scenario(`an order is shipped when its ${second} follows its ${first} at once`, async (w) => {
    const outside = await w.outside();
    outside.page('/rates', '{}');
    const shipping = await w.filing(await w.host(), {
      base: 'shipping',
      topics: ['order', 'payment'],
      topic: ['order', 'payment'],
      prepare: `
        const [order] = await ctx.peek('order', { limit: 1 });
        const [payment] = await ctx.peek('payment', { limit: 1 });
        if (!order && !payment) return;
        await ctx.tools.http.get({ url: '${outside.url}/rates' });
        if (!order || !payment) return;
        return { reservations: [order, payment], data: { order: order.payload, paid: payment.payload } };`,
    });
    const reading = outside.hold('/rates');
    await shipping.publish('7', first, first);
    await reading.arrived;
    await shipping.publish('7', second, second);
    reading.release();
    await shipping.untilDone('order');
    await shipping.untilDone('payment');
    expectSame('what was shipped', outside.bodies(), [{ order: 'order', paid: 'payment' }]);
  });
}

scenario('ten receipts that a folder collects are booked as one', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const receipts = await w.filing(host, { base: 'receipts', prepare: takeAtLeast(10) });
  await host.says('pause', receipts.id);
  for (let n = 1; n <= 10; n += 1) await receipts.publish(`r-${n}`, n);
  await host.says('resume', receipts.id);
  await receipts.untilDone();
  expectSame('bookings', outside.count(), 1);
  expectSame(
    'receipts in it',
    (outside.bodies()[0] as number[]).toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
});

scenario(
  'a correction that comes while the invoice is being read is the one that is filed',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host(), {
      prepare: await readingFirst(
        w,
        `return { reservations: [events[0]], data: events[0].payload };`,
      ),
    });
    const reading = outside.hold('/rates');
    await invoices.publish('i-1', { amount: 10 });
    await reading.arrived;
    const { outcome } = await invoices.publish('i-1', { amount: 12 });
    expectSame('the answer', outcome, 'replaced');
    reading.release();
    await invoices.untilDone();
    expectSame('what was filed', outside.bodies(), [{ amount: 12 }]);
  },
  { quick: true },
);

scenario('what the history shows of an invoice is what was sent', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), {
    prepare: await readingFirst(
      w,
      `return { reservations: [events[0]], data: events[0].payload };`,
    ),
  });
  const reading = outside.hold('/rates');
  await invoices.publish('i-1', 'old');
  await reading.arrived;
  await invoices.publish('i-1', 'new');
  reading.release();
  await invoices.untilDone();
  const [event] = await invoices.events();
  expectSame('the last thing sent', outside.bodies().at(-1), event?.payload);
});

scenario(
  'a consumer that skips an event for now is asked again when the next one comes',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host(), {
      prepare: `
      const events = await ctx.peek('in', { limit: 10 });
      const ready = events.find(({ payload }) => payload.ready);
      if (!ready) return;
      return { reservations: [ready], data: ready.payload };`,
    });
    await invoices.publish('early', { ready: false });
    await invoices.untilCommitted(1);
    await invoices.publish('ready', { ready: true, n: 1 });
    await invoices.untilCommitted(3);
    await invoices.publish('early', { ready: true, n: 2 });
    await invoices.untilDone();
    expectSame(
      'what was filed',
      outside.bodies().map((body) => (body as { n: number }).n),
      [1, 2],
    );
  },
);

/** A `prepare` that reads a page between looking at its events and deciding. */
async function readingFirst(w: World, decide: string, limit = 100): Promise<string> {
  const outside = await w.outside();
  outside.page('/rates', '{"rate":1}');
  return `
    const events = await ctx.peek('in', { limit: ${limit} });
    if (events.length === 0) return;
    await ctx.tools.http.get({ url: '${outside.url}/rates' });
    ${decide}`;
}
