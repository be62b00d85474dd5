// Several devices of one person: one acts, all see, and nobody acts for another.
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { deviceIdOf, devicesOf, pairByLink, untilLinked } from '#test/blackbox/harness/pairing.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, workflowSource } from '#test/blackbox/harness/source.ts';
import type { Workflow } from '#test/blackbox/harness/workflow.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const devices = theme('devices');
const { scenario } = devices;

/** The workflow as the other device sees it, once it has arrived there. */
async function seenOn(w: World, workflow: Workflow, host: Host): Promise<Workflow> {
  await w.until(
    `"${workflow.name}" has arrived`,
    () => host.workflows(),
    (all) => all.some(({ id, scriptId }) => id === workflow.id && scriptId !== null),
  );
  return workflow.on(host);
}

/** Two paired devices of this scenario only. The desk keeps its address over a restart. */
async function ownPair(w: World): Promise<readonly [Host, Host]> {
  const env = { HOLDFAST_LINK_PORT: String(await freePort()) };
  const [desk, laptop] = await Promise.all([w.ownHost({ env }), w.ownHost()]);
  await desk.says('rename', 'Desk');
  await laptop.says('rename', 'Laptop');
  await pairByLink(desk, laptop);
  return [desk, laptop];
}

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
    expectNoText('the inbox of the laptop', inbox, /user_assert|carried out/);
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
