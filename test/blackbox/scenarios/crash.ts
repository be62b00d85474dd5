// Kills, stops, restarts and old files: no effect twice, nothing lost, and the history is true.
import { expectSame, expectThat } from '#test/blackbox/harness/expect.ts';
import { Hook } from '#test/blackbox/harness/hook.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, workflowSource } from '#test/blackbox/harness/source.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const crash = theme('crash and restart');
const { scenario } = crash;

scenario(
  'a host killed while a payment is under way asks me afterwards and does not pay again',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const payments = await w.filing(host, { base: 'payments' });
    const paying = outside.hold('/file');
    await payments.publish('p-1', 1);
    await paying.arrived;
    await host.killAndStart();
    await payments.untilUnknown();
    expectSame('payments made', outside.count(), 1);
  },
  { quick: true },
);

scenario(
  'a host killed while a payment is under way finds it at the service afterwards',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const payments = await w.filing(host, { base: 'payments', checks: 'finds' });
    const paying = outside.hold('/file');
    await payments.publish('p-1', 1);
    await paying.arrived;
    await host.killAndStart();
    await payments.untilCommitted(1);
    expectSame('payments made', outside.count(), 1);
  },
);

scenario(
  'a host killed while it reads files the invoice after the restart, once',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    outside.page('/rates', '{}');
    const invoices = await w.filing(host, { prepare: readingRates(outside.url) });
    const reading = outside.hold('/rates');
    await invoices.publish('i-1', 1);
    await reading.arrived;
    await host.killAndStart();
    await invoices.untilDone();
    expectSame('what was filed', outside.bodies(), [1]);
  },
  { quick: true },
);

scenario('a run that was killed while it read is in the history', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  outside.page('/rates', '{}');
  const invoices = await w.filing(host, { prepare: readingRates(outside.url) });
  const reading = outside.hold('/rates');
  await invoices.publish('i-1', 1);
  await reading.arrived;
  await host.killAndStart();
  await invoices.untilDone();
  const runs = await invoices.runs();
  expectThat(
    'both tries are listed, the first as failed',
    runs.length >= 2 && runs.some(({ phase }) => phase === 'failed'),
    runs,
  );
});

scenario(
  'a host killed after the effect continues with the next step, without repeating it',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const invoices = await w.filing(host, {
      next: `let n = 0; for (let i = 0; i < 3e7; i += 1) n += i; return { n };`,
    });
    await invoices.publish('i-1', 1);
    await w.until(
      'the service acted',
      () => outside.count(),
      (count) => count === 1,
    );
    await host.killAndStart();
    await w.until(
      'the invoice is done, or I am asked',
      async () => ({ inbox: await invoices.inbox(), events: await invoices.events() }),
      ({ inbox, events }) =>
        inbox.length > 0 || events.every(({ status }) => status === 'consumed'),
    );
    expectSame('what was filed', outside.count(), 1);
  },
);

scenario('sixty invoices and five kills at any moment: each is filed exactly once', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const invoices = await w.filing(host, { checks: 'proves' });
  await host.says('pause', invoices.id);
  for (let n = 1; n <= 60; n += 1) await invoices.publish(`i-${n}`, n);
  await host.says('resume', invoices.id);
  for (let kill = 1; kill <= 5; kill += 1) {
    await w.until(
      `${kill * 10} are filed`,
      () => outside.count(),
      (count) => count >= kill * 10,
    );
    await host.killAndStart();
  }
  await invoices.untilDone();
  const filed = (outside.bodies() as number[]).toSorted((a, b) => a - b);
  expectSame(
    'what was filed',
    filed,
    Array.from({ length: 60 }, (_, index) => index + 1),
  );
});

scenario(
  'an event whose publishing was answered survives a kill right after',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const invoices = await w.filing(host);
    await host.says('pause', invoices.id);
    await invoices.publish('i-1', 'kept');
    await host.killAndStart();
    await host.says('resume', invoices.id);
    await invoices.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), ['kept']);
  },
  { quick: true },
);

scenario('a webhook that was answered with 202 survives a kill right after', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const invoices = await w.filing(host, { checks: 'proves' });
  const hook = await Hook.create(invoices);
  const { status } = await hook.post('{"n":1}');
  await host.kill();
  expectSame('the answer', status, 202);
  await host.start();
  await invoices.untilCommitted(1);
  expectSame('what was filed', outside.bodies(), [{ n: 1 }]);
});

scenario(
  'a host that gets SIGTERM lets the payment under way end',
  async (w) => {
    const outside = await w.outside();
    const host = await w.ownHost();
    const payments = await w.filing(host, { base: 'payments' });
    const paying = outside.hold('/file');
    await payments.publish('p-1', 1);
    await paying.arrived;
    const stopped = host.stop();
    paying.release();
    expectSame('its exit code', await stopped, 0);
    await host.start();
    await payments.untilDone();
    expectSame('the inbox', await payments.inbox(), []);
    expectSame('payments made', outside.count(), 1);
  },
  { quick: true },
);

scenario('a host that was frozen during a payment continues where it was', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const payments = await w.filing(host, { base: 'payments' });
  const paying = outside.hold('/file');
  await payments.publish('p-1', 1);
  await paying.arrived;
  host.freeze();
  paying.release();
  await untilMs(w, 2000);
  host.thaw();
  await payments.untilCommitted(1);
  expectSame('payments made', outside.count(), 1);
});

scenario('an open question survives a kill and can be answered afterwards', async (w) => {
  const host = await w.ownHost();
  const asking = await w.add(
    host,
    workflowSource({
      name: w.name('asking'),
      uses: '{ ask: {} }',
      consumers: consumer('ask', {
        mutate: `await ctx.tools.ask.question({ question: 'Ship it?' });`,
        next: `console.log(outcome.result.answer);`,
      }),
    }),
  );
  await asking.publish('q-1', 1);
  await asking.untilItem('question');
  await host.killAndStart();
  const { mutationId = '' } = await asking.untilItem('question');
  await host.says('answer', mutationId, 'tomorrow');
  await asking.untilCommitted(1);
});

scenario('a daily report that ran is not repeated because the host was killed', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const reports = await w.filing(host, {
    base: 'reports',
    producers: producer('daily', {
      schedule: `{ every: '1d' }`,
      run: `const n = (state?.n ?? 0) + 1; await ctx.publish('in', { id: 'r' + n, title: 'r', payload: n }); return { n };`,
    }),
  });
  await reports.untilCommitted(1, 'file');
  for (let kill = 0; kill < 2; kill += 1) await host.killAndStart();
  await reports.publish('marker', 'marker');
  await reports.untilCommitted(2, 'file');
  expectSame('reports', outside.bodies(), [1, 'marker']);
});

scenario('a session whose runs all ended well is not called failed after a kill', async (w) => {
  const host = await w.ownHost();
  const invoices = await w.filing(host);
  await invoices.publish('i-1', 1);
  await invoices.untilCommitted(1);
  await host.killAndStart();
  const [session] = await w.until(
    'the session has ended',
    () => invoices.sessions(),
    ([newest]) => newest !== undefined && newest.status !== 'active' && newest.status !== 'running',
  );
  expectThat('it is not called failed', session?.status !== 'failed', session);
});

scenario('a session in which a run failed is not called completed', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host, {
    prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (event) throw new Error('no form for ' + event.title);`,
  });
  await invoices.publish('i-1', 1);
  await invoices.untilItem('set_aside');
  const [session] = await w.until(
    'the session has ended',
    () => invoices.sessions(),
    ([newest]) => newest !== undefined && newest.status !== 'active' && newest.status !== 'running',
  );
  expectThat('it is not called completed', session?.status !== 'completed', session);
});

function readingRates(url: string): string {
  return `
    const [event] = await ctx.peek('in', { limit: 1 });
    if (!event) return;
    await ctx.tools.http.get({ url: '${url}/rates' });
    return { reservations: [event], data: event.payload };`;
}

function untilMs(w: World, ms: number): Promise<number> {
  const from = Date.now();
  return w.until(
    `${ms} ms have passed`,
    () => Date.now() - from,
    (passed) => passed >= ms,
  );
}
