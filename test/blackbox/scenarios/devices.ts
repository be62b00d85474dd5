// Several devices of one person: one acts, all see, and nobody acts for another.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { deviceIdOf, devicesOf, pairByLink, untilLinked } from '#test/blackbox/harness/pairing.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, workflowSource } from '#test/blackbox/harness/source.ts';
import { ownPair, seenOn } from '#test/blackbox/harness/two-devices.ts';

export const devices = theme('devices');
const { scenario } = devices;

scenario(
  'a workflow that I add on the desk is seen on the laptop and runs only on the desk',
  async (w) => {
    const outside = await w.outside();
    const [desk, laptop] = await w.pair();
    const invoices = await w.filing(desk);
    const there = await seenOn(w, invoices, laptop);
    expectSame('who runs it', (await there.view()).owner.isThisDevice, false);
    await invoices.publish('i-1', 1);
    await there.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), [1]);
  },
  { quick: true },
);

scenario('an invoice that I publish on the laptop is filed by the desk, once', async (w) => {
  const outside = await w.outside();
  const [desk, laptop] = await w.pair();
  const invoices = await w.filing(desk);
  const there = await seenOn(w, invoices, laptop);
  await laptop.says('publish', there.name, 'in', '"from the laptop"', '--id', 'l-1');
  const [run] = await invoices.untilCommitted(1);
  expectSame('what was filed', outside.bodies(), ['from the laptop']);
  expectSame('the device that filed it', run?.deviceId, await deviceIdOf(desk));
});

scenario(
  'an invoice that comes from the laptop while the desk looks is not forgotten',
  async (w) => {
    const outside = await w.outside();
    outside.page('/rates', '{}');
    const [desk, laptop] = await w.pair();
    const invoices = await w.filing(desk, {
      prepare: `
      const events = await ctx.peek('in', { limit: 10 });
      if (events.length === 0) return;
      await ctx.tools.http.get({ url: '${outside.url}/rates' });
      if (events.length < 2) return;
      return { reservations: events, data: events.map(({ payload }) => payload) };`,
    });
    const there = await seenOn(w, invoices, laptop);
    const reading = outside.hold('/rates');
    await invoices.publish('here', 1);
    await reading.arrived;
    await there.publish('there', 2);
    await w.until(
      'it has arrived at the desk',
      () => invoices.events(),
      (events) => events.length === 2,
    );
    reading.release();
    await invoices.untilDone();
    expectSame('effects', outside.count(), 1);
  },
);

scenario(
  'a lost answer of the desk is settled on the laptop',
  async (w) => {
    const outside = await w.outside();
    const [desk, laptop] = await w.pair();
    const payments = await w.filing(desk, { base: 'payments' });
    const there = await seenOn(w, payments, laptop);
    outside.script('/file', 'lose the answer');
    await payments.publish('p-1', 1);
    const { mutation } = await there.untilUnknown();
    await laptop.says('resolve', mutation.id, '--as', 'happened');
    await payments.untilCommitted(1);
    expectSame('payments made', outside.count(), 1);
  },
  { quick: true },
);

scenario(
  'a decision on the laptop about the desk’s payment says that it waits for the desk',
  async (w) => {
    const outside = await w.outside();
    const [desk, laptop] = await ownPair(w);
    const payments = await w.filing(desk, { base: 'payments' });
    const there = await seenOn(w, payments, laptop);
    outside.script('/file', 'lose the answer');
    await payments.publish('p-1', 1);
    const { mutation } = await there.untilUnknown();
    await desk.kill();
    await laptop.says('resolve', mutation.id, '--as', 'happened');
    const inbox = await laptop.says('inbox');
    expectText('the inbox of the laptop', inbox, /another device|waits|when that device|Desk/i);
    const decided = inbox.split('\n').filter((line) => line.includes('decided'));
    expectSame('lines about the decision', decided.length, 1);
    expectNoText('the decision', decided.join(), /user_assert|carried out/);
    await desk.start();
    await payments.untilCommitted(1);
    expectSame('payments made', outside.count(), 1);
  },
);

scenario('pausing and resuming on the laptop works on the desk', async (w) => {
  const [desk, laptop] = await w.pair();
  const invoices = await w.filing(desk);
  await seenOn(w, invoices, laptop);
  await laptop.says('pause', invoices.name);
  await invoices.untilView('it is paused at the desk', ({ status }) => status === 'paused');
  await laptop.says('resume', invoices.name);
  await invoices.untilView('it continues at the desk', ({ status }) => status === 'active');
});

scenario('a question of the desk is answered on the laptop', async (w) => {
  const [desk, laptop] = await w.pair();
  const asking = await w.add(
    desk,
    workflowSource({
      name: w.name('asking'),
      uses: '{ ask: {} }',
      consumers: consumer('ask', {
        mutate: `await ctx.tools.ask.question({ question: 'Really?' });`,
      }),
    }),
  );
  const there = await seenOn(w, asking, laptop);
  await asking.publish('q-1', 1);
  const { mutationId = '' } = await there.untilItem('question');
  await laptop.says('answer', mutationId, 'yes');
  await asking.untilCommitted(1);
});

scenario('devices that meet again after both were off have everything of each other', async (w) => {
  const outside = await w.outside();
  const [desk, laptop] = await ownPair(w);
  const invoices = await w.filing(desk);
  const there = await seenOn(w, invoices, laptop);
  await desk.stop();
  await there.publish('l-1', 'while the desk was off');
  await laptop.kill();
  await desk.start();
  await laptop.start();
  await Promise.all([untilLinked(desk), untilLinked(laptop)]);
  await invoices.untilCommitted(1);
  expectSame('what was filed', outside.bodies(), ['while the desk was off']);
});

scenario('a third device gets everything through the second', async (w) => {
  const [desk, laptop] = await ownPair(w);
  const invoices = await w.filing(desk);
  const attic = await w.ownHost();
  await attic.says('rename', 'Attic');
  await pairByLink(laptop, attic);
  const there = await seenOn(w, invoices, attic);
  await invoices.publish('i-1', 1);
  await there.untilCommitted(1);
});

scenario('a pairing link works for one device only', async (w) => {
  const [desk, laptop] = [await w.ownHost(), await w.ownHost()];
  const link = await pairByLink(desk, laptop);
  const third = await w.ownHost();
  await third.refuses('pair', link);
  expectSame('devices of the third', (await devicesOf(third)).length, 1);
});

scenario('two devices of the same machine name can be told apart', async (w) => {
  const [desk, laptop] = [await w.ownHost(), await w.ownHost()];
  await pairByLink(desk, laptop);
  const names = await w.until(
    'both are listed',
    async () => (await devicesOf(desk)).map(({ name }) => name),
    (all) => all.length === 2,
  );
  expectSame('different names', new Set(names).size, 2);
});

scenario('an unpaired device gets nothing new', async (w) => {
  const [desk, laptop] = await ownPair(w);
  const invoices = await w.filing(desk);
  await seenOn(w, invoices, laptop);
  await desk.says('unpair', 'Laptop');
  await w.until(
    'the laptop has learned of it',
    () => devicesOf(laptop),
    (all) => all.some(({ state }) => state === 'unpaired'),
  );
  const letters = await w.filing(desk, { base: 'letters' });
  await letters.publish('l-1', 1);
  await letters.untilCommitted(1);
  const names = (await laptop.workflows()).map(({ name }) => name);
  expectSame('what the laptop has', names, [invoices.name]);
});

scenario('syncing through a folder that is not there ends with an error', async (w) => {
  const [desk] = await w.pair();
  await desk.refuses('sync', '--folder', join(w.folder(), 'not-there'));
});

for (const [what, end] of [
  ['changes', '.changes'],
  ['state', 'state'],
] as const) {
  scenario(`syncing through a stick with damaged ${what} ends with an error`, async (w) => {
    const [desk, laptop] = await ownPair(w);
    const folder = join(w.folder(), 'stick');
    mkdirSync(folder);
    await laptop.says('sync', '--folder', folder);
    damageFiles(folder, end);
    const { code, text } = await desk.cli('sync', '--folder', folder);
    expectThat('its exit code is not 0', code !== 0, `exit code ${code}: ${text}`);
  });
}

scenario('two devices exchange everything through a stick', async (w) => {
  const [desk, laptop] = await ownPair(w);
  await laptop.stop();
  const invoices = await w.filing(desk);
  const folder = join(w.folder(), 'stick');
  mkdirSync(folder);
  await desk.says('sync', '--folder', folder);
  await desk.stop();
  await laptop.says('sync', '--folder', folder);
  const { workflows } = JSON.parse(await laptop.says('list', '--json')) as {
    workflows: { id: string }[];
  };
  expectSame(
    'what the laptop has',
    workflows.map(({ id }) => id),
    [invoices.id],
  );
});

scenario('reaching a device at an address where nobody answers ends with an error', async (w) => {
  const [desk, laptop] = await ownPair(w);
  await laptop.stop();
  const { code, text } = await desk.cli('reach', 'Laptop', '127.0.0.1:9');
  expectThat('its exit code is not 0', code !== 0, `exit code ${code}: ${text}`);
});

scenario('large numbers are the same on both devices', async (w) => {
  const [desk, laptop] = await w.pair();
  const numbers = await w.filing(desk, { base: 'numbers' });
  const there = await seenOn(w, numbers, laptop);
  await desk.says('pause', numbers.id);
  const payload = [9_007_199_254_740_991, -9_007_199_254_740_991, 0.1, 1.5e-7, 5e-324];
  await numbers.publish('n-1', payload);
  const [event] = await w.until(
    'it has arrived',
    () => there.events(),
    (events) => events.length === 1,
  );
  expectSame('the numbers', event?.payload, payload);
});

/** Every file there whose name ends so gets another byte in its middle. */
function damageFiles(folder: string, end: string): void {
  for (const file of filesIn(folder).filter((name) => name.endsWith(end))) {
    const bytes = readFileSync(file);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
  }
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
