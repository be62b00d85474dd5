// Which device runs a workflow: handed over, taken over, and what the others can ask for.
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { deviceIdOf } from '#test/blackbox/harness/pairing.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { producer } from '#test/blackbox/harness/source.ts';
import { ownPair, seenOn } from '#test/blackbox/harness/two-devices.ts';

export const ownership = theme('ownership');
const { scenario } = ownership;

for (const [what, nameOf] of [
  ['by its name', () => Promise.resolve('Laptop')],
  ['by the short id that "devices" prints', async (id: string) => id.slice(0, 8)],
  ['by its whole id', async (id: string) => id],
] as const) {
  scenario(`I hand a workflow over to the laptop ${what}`, async (w) => {
    const outside = await w.outside();
    const [desk, laptop] = await w.pair();
    const invoices = await w.filing(desk);
    const there = await seenOn(w, invoices, laptop);
    await desk.says('handover', invoices.name, await nameOf(await deviceIdOf(laptop)));
    await there.untilView('the laptop runs it', ({ owner }) => owner.isThisDevice);
    await laptop.says('grant', invoices.id, 'http', JSON.stringify({ hosts: [outside.host] }));
    await laptop.says('resume', invoices.id);
    await invoices.publish('i-1', 'after the handover');
    const [run] = await there.untilCommitted(1);
    expectSame('the device that filed it', run?.deviceId, await deviceIdOf(laptop));
    expectSame('what was filed', outside.bodies(), ['after the handover']);
  });
}

scenario('handing over to a device that is not known is refused', async (w) => {
  const [desk] = await w.pair();
  const invoices = await w.filing(desk);
  await desk.refuses('handover', invoices.name, 'nobody');
  expectSame('who runs it', (await invoices.view()).owner.isThisDevice, true);
});

scenario('a workflow that was handed over to an absent device is not called active', async (w) => {
  const [desk, laptop] = await ownPair(w);
  const invoices = await w.filing(desk);
  const id = await deviceIdOf(laptop);
  await laptop.stop();
  await desk.says('handover', invoices.name, id);
  await invoices.untilView('it is released', ({ owner }) => owner.state === 'released');
  const listed = await invoices.listed();
  expectThat('it is not called active', !/\bactive\b/.test(listed), listed);
});

scenario('taking over from a device that may be alive needs my word twice', async (w) => {
  const [desk, laptop] = await w.pair();
  const invoices = await w.filing(desk);
  await seenOn(w, invoices, laptop);
  expectText('the message', await laptop.refuses('takeover', invoices.name), '--yes');
  expectSame('who runs it', (await invoices.view()).owner.isThisDevice, true);
});

scenario(
  'when the desk dies in the middle of a payment, the laptop asks me and does not pay again',
  async (w) => {
    const outside = await w.outside();
    const [desk, laptop] = await ownPair(w);
    const payments = await w.filing(desk, { base: 'payments' });
    const there = await seenOn(w, payments, laptop);
    const paying = outside.hold('/file');
    await payments.publish('p-1', 1);
    await paying.arrived;
    await w.until(
      'the laptop knows of it',
      () => there.runs(),
      (runs) => runs.some(({ effect }) => effect === 'in_flight'),
    );
    await desk.kill();
    await laptop.says('takeover', payments.name, '--yes');
    await there.untilUnknown();
    expectSame('payments made', outside.count(), 1);
  },
);

scenario(
  'a desk that was frozen while the laptop took over does nothing more when it wakes',
  async (w) => {
    const outside = await w.outside();
    const [desk, laptop] = await ownPair(w);
    const invoices = await w.filing(desk);
    const there = await seenOn(w, invoices, laptop);
    desk.freeze();
    await laptop.says('takeover', invoices.name, '--yes');
    await laptop.says('grant', invoices.id, 'http', JSON.stringify({ hosts: [outside.host] }));
    await laptop.says('resume', invoices.id);
    await there.publish('i-1', 1);
    await there.untilCommitted(1);
    desk.thaw();
    await invoices.untilView('the desk has learned of it', ({ owner }) => !owner.isThisDevice);
    await invoices.publish('i-2', 2);
    await there.untilCommitted(2);
    expectSame('what was filed', outside.bodies(), [1, 2]);
    expectSame(
      'incidents',
      (await there.inbox()).filter(({ type }) => type === 'incident'),
      [],
    );
  },
);

scenario('"run" on the laptop starts the report on the desk, or says who runs it', async (w) => {
  const [desk, laptop] = await w.pair();
  const reports = await w.filing(desk, {
    base: 'reports',
    producers: producer('report', {
      run: `await ctx.publish('in', { id: 'r', title: 'r', payload: 1 });`,
    }),
  });
  await seenOn(w, reports, laptop);
  const { text } = await laptop.cli('run', reports.name, 'report');
  expectNoText('what it says', text, /There is: none|no producer/);
});

scenario('a report that the laptop asks for is made by the desk', async (w) => {
  const [desk, laptop] = await w.pair();
  const reports = await w.filing(desk, {
    base: 'reports',
    producers: producer('report', {
      run: `await ctx.publish('in', { id: 'r', title: 'r', payload: 1 });`,
    }),
  });
  await seenOn(w, reports, laptop);
  const { waiting } = await laptop.call<{ waiting?: boolean }>('workflows.runNow', {
    workflowId: reports.id,
    producer: 'report',
    requestId: w.name('request'),
  });
  expectSame('it waits for the desk', waiting, true);
  await reports.untilCommitted(1, 'file');
});

scenario('a workflow that moved asks for its secret on the new device', async (w) => {
  const outside = await w.outside();
  const [desk, laptop] = await w.pair();
  const secret = w.name('bank');
  await desk.call('secrets.set', { name: secret, value: 'only-on-the-desk' });
  const payments = await w.filing(desk, {
    base: 'payments',
    mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', json: 1, auth: { bearerSecret: '${secret}' } });`,
  });
  const there = await seenOn(w, payments, laptop);
  await desk.says('handover', payments.name, await deviceIdOf(laptop));
  await there.untilView('the laptop runs it', ({ owner }) => owner.isThisDevice);
  await laptop.says('grant', payments.id, 'http', JSON.stringify({ hosts: [outside.host] }));
  await laptop.says('resume', payments.id);
  await there.publish('p-1', 1);
  const { error } = await there.untilItem('approval');
  expectText('it names the secret', error ?? '', secret);
  expectSame('what was sent', outside.count(), 0);
});
