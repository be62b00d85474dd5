// Events and inputs that arrive: each is seen, in order, once.
import { expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, takeOldest } from '#test/blackbox/harness/source.ts';

export const arriving = theme('arriving');
const { scenario } = arriving;

scenario(
  'an invoice that arrives is filed once',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host());
    await invoices.publish('i-1', { amount: 12 });
    await invoices.untilCommitted(1);
    expectSame('what the service got', outside.bodies(), [{ amount: 12 }]);
  },
  { quick: true },
);

scenario('fifty invoices that arrive at once are filed once each', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host());
  const numbers = Array.from({ length: 50 }, (_, index) => index + 1);
  await Promise.all(numbers.map((n) => invoices.publish(`i-${n}`, n)));
  await invoices.untilCommitted(50);
  const filed = outside.bodies() as number[];
  expectSame(
    'what was filed',
    filed.toSorted((a, b) => a - b),
    numbers,
  );
});

scenario(
  'invoices of the same millisecond are filed in the order in which they came',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost({ movesClock: true });
    const invoices = await w.filing(host);
    await host.says('pause', invoices.id);
    host.stopClock();
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
    for (const n of numbers) await invoices.publish(`i-${n}`, n);
    host.moveClock(0);
    await host.says('resume', invoices.id);
    await invoices.untilCommitted(12);
    expectSame('the order of filing', outside.bodies(), numbers);
  },
);

scenario(
  'twenty entries that a feed publishes at once are handled in the order of the feed',
  async (w) => {
    const outside = await w.outside();
    const feed = await w.filing(await w.host(), {
      base: 'feed',
      producers: producer('read', {
        run: `for (let n = 1; n <= 20; n += 1) await ctx.publish('in', { id: 'e' + n, title: 'e' + n, payload: n });`,
      }),
    });
    await feed.host.says('run', feed.id, 'read');
    await feed.untilCommitted(20, 'file');
    expectSame(
      'the order of filing',
      outside.bodies(),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  },
);

scenario('what a step publishes in one go is handled in that order', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), {
    topics: ['box', 'in'],
    more: consumer('unpack', {
      topic: 'box',
      publishes: ['in'],
      next: `for (const n of prepared.data) await ctx.publish('in', { id: 'p' + n, title: 'p' + n, payload: n });`,
    }),
  });
  const numbers = Array.from({ length: 15 }, (_, index) => index + 1);
  await invoices.publish('box', numbers, 'box');
  await invoices.untilCommitted(15, 'file');
  expectSame('the order of filing', outside.bodies(), numbers);
});

scenario('after the clock was set back, a later invoice still comes later', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost({ movesClock: true });
  const invoices = await w.filing(host);
  await host.says('pause', invoices.id);
  await invoices.publish('first', 'first');
  host.moveClock(-3_600_000);
  await invoices.publish('second', 'second');
  await invoices.publish('third', 'third');
  await host.says('resume', invoices.id);
  await invoices.untilCommitted(3);
  expectSame('the order of filing', outside.bodies(), ['first', 'second', 'third']);
});

scenario(
  'the same invoice published twice is filed once',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host);
    expectText(
      'the first time',
      await host.says('publish', invoices.name, 'in', '{"n":1}', '--id', 'same'),
      /Published event/,
    );
    await invoices.untilCommitted(1);
    const again = await invoices.publish('same', { n: 1 });
    expectSame('the second time', again.outcome, 'kept');
    await invoices.publish('another', { n: 2 });
    await invoices.untilCommitted(2);
    expectSame('what was filed', outside.bodies(), [{ n: 1 }, { n: 2 }]);
  },
  { quick: true },
);

scenario(
  'a corrected invoice replaces the one that still waits',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host);
    await host.says('pause', invoices.id);
    await invoices.publish('i-1', { amount: 10 });
    const { outcome } = await invoices.publish('i-1', { amount: 12 });
    expectSame('the answer', outcome, 'replaced');
    await host.says('resume', invoices.id);
    await invoices.untilDone();
    expectSame('what was filed', outside.bodies(), [{ amount: 12 }]);
  },
  { quick: true },
);

scenario('a correction that comes too late says so and files nothing', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const invoices = await w.filing(host);
  await invoices.publish('i-1', { amount: 10 });
  await invoices.untilCommitted(1);
  const said = await host.says('publish', invoices.id, 'in', '{"amount":12}', '--id', 'i-1');
  expectThat('it is not called published', !/is published|replaced/.test(said), said);
  await invoices.publish('i-2', { amount: 1 });
  await invoices.untilCommitted(2);
  expectSame('what was filed', outside.bodies(), [{ amount: 10 }, { amount: 1 }]);
});

scenario('an event for a topic that nobody reads waits and is shown', async (w) => {
  const archive = await w.filing(await w.host(), { base: 'archive', topics: ['in', 'unread'] });
  await archive.publish('u-1', null, 'unread');
  await archive.publish('i-1', null);
  await archive.untilCommitted(1);
  expectText('holdfast list', await archive.listed(), /1 unread/);
});

scenario(
  'invoices that arrive while the workflow is paused are filed when it continues',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host);
    await host.says('pause', invoices.name);
    for (let n = 1; n <= 3; n += 1) await invoices.publish(`i-${n}`, n);
    expectText('holdfast list', await invoices.listed(), /paused.*3 in/);
    expectSame('effects while paused', outside.count(), 0);
    await host.says('resume', invoices.name);
    await invoices.untilCommitted(3);
    expectSame('what was filed', outside.bodies(), [1, 2, 3]);
  },
);

scenario('of two inboxes the older letter is handled first', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const letters = await w.filing(host, {
    base: 'letters',
    topics: ['in', 'urgent'],
    more: consumer('urgent', {
      topic: 'urgent',
      prepare: takeOldest('urgent'),
      mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', json: prepared.data });`,
    }),
  });
  await host.says('pause', letters.id);
  for (const [index, topic] of ['in', 'urgent', 'in', 'urgent', 'urgent', 'in'].entries()) {
    await letters.publish(`l-${index}`, index, topic);
  }
  await host.says('resume', letters.id);
  await letters.untilCommitted(6);
  expectSame('the order', outside.bodies(), [0, 1, 2, 3, 4, 5]);
});

scenario('a letter of nearly a megabyte arrives as it was', async (w) => {
  const outside = await w.outside();
  const letters = await w.filing(await w.host(), { base: 'letters' });
  const text = 'ä'.repeat(450_000);
  await letters.publish('long', { text });
  await letters.untilCommitted(1);
  expectThat(
    'the whole text arrived',
    (outside.bodies()[0] as { text: string }).text === text,
    outside.done()[0]?.text.length,
  );
});

scenario('names and texts in any script arrive as they were', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const letters = await w.filing(host, { base: 'letters' });
  const payload = { from: 'Żółć 李雷 שָׁלוֹם 👩‍👩‍👧', note: 'a\u0000b\u2028c\n\t"\\' };
  await letters.publish('Grüße-日本', payload);
  await letters.untilCommitted(1);
  expectSame('what was filed', outside.bodies(), [payload]);
  expectText('holdfast runs', await host.says('runs', letters.id), 'Grüße-日本');
});
