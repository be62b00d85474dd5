// Effects whose answers are lost, late, wrong or refused: never twice, never a false certainty.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectSame, expectText } from '#test/blackbox/harness/expect.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, workflowSource } from '#test/blackbox/harness/source.ts';

export const effects = theme('effects');
const { scenario } = effects;

scenario(
  'a payment whose answer is lost is not sent again, and I am asked',
  async (w) => {
    const outside = await w.outside();
    const payments = await w.filing(await w.host(), { base: 'payments' });
    outside.script('/file', 'lose the answer');
    await payments.publish('p-1', { amount: 5 });
    const { mutation } = await payments.untilUnknown();
    expectSame('its status', mutation.status, 'indeterminate');
    expectSame('payments made', outside.count(), 1);
    expectSame('holdfast list says that it waits for me', (await payments.view()).openQuestions, 1);
  },
  { quick: true },
);

scenario(
  'a lost answer is looked up at the service, and nobody is asked',
  async (w) => {
    const outside = await w.outside();
    const payments = await w.filing(await w.host(), { base: 'payments', checks: 'finds' });
    outside.script('/file', 'lose the answer');
    await payments.publish('p-1', 1);
    await payments.untilCommitted(1);
    expectSame('payments made', outside.count(), 1);
    expectSame('what is left in the inbox', await payments.inbox(), []);
  },
  { quick: true },
);

scenario('a payment that never arrived is sent again once the service says so', async (w) => {
  const outside = await w.outside();
  const payments = await w.filing(await w.host(), { base: 'payments', checks: 'proves' });
  outside.script('/file', 'cut before acting');
  await payments.publish('p-1', 1);
  await payments.untilCommitted(1);
  expectSame('payments made', outside.count(), 1);
});

scenario('a payment that the service shows only after a while is not sent twice', async (w) => {
  const outside = await w.outside();
  const payments = await w.add(
    await w.host(),
    workflowSource({
      name: w.name('payments'),
      uses: `{ http: { hosts: ['${outside.host}'] } }`,
      consumers: consumer('pay', {
        mutate: `await ctx.tools.http.post({
          url: '${outside.url}/file',
          json: prepared.data,
          reconcile: {
            url: '${outside.url}/by-key/{effectId}',
            happenedWhen: { status: [200] },
            didNotHappenWhen: { status: [404] },
            settleMs: 60_000,
          },
        });`,
      }),
    }),
  );
  outside.isHiding = true;
  outside.script('/file', 'lose the answer');
  await payments.publish('p-1', 1);
  await w.until(
    'the service was asked and did not show it yet',
    () => outside.reads.length,
    (asked) => asked >= 2,
  );
  outside.isHiding = false;
  await payments.untilCommitted(1);
  expectSame('payments made', outside.count(), 1);
});

for (const status of [500, 502, 503, 504]) {
  scenario(`a service that acts and then answers ${status} is not called a failure`, async (w) => {
    const outside = await w.outside();
    const payments = await w.filing(await w.host(), { base: 'payments' });
    outside.script('/file', { status, acts: true, body: 'boom' });
    await payments.publish('p-1', 1);
    const { mutation } = await payments.untilUnknown();
    expectText('the reason', mutation.error ?? '', String(status));
    expectSame('payments made', outside.count(), 1);
  });
}

scenario('invoices wait for a service that is down and are filed when it is back', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host());
  await outside.close();
  await invoices.publish('i-1', 1);
  await invoices.publish('i-2', 2);
  await invoices.untilRuns('the first try failed', (runs) =>
    runs.some(({ phase }) => phase === 'failed'),
  );
  await outside.listen();
  await invoices.untilDone();
  expectSame('what was filed', outside.bodies(), [1, 2]);
});

scenario('a service whose name cannot be found is named, and nothing was sent', async (w) => {
  const host = await w.host();
  const invoices = await w.add(
    host,
    workflowSource({
      name: w.name('invoices'),
      uses: `{ http: { hosts: ['nowhere.invalid'] } }`,
      consumers: consumer('file', {
        mutate: `await ctx.tools.http.post({ url: 'https://nowhere.invalid/file', json: 1 });`,
      }),
    }),
  );
  await invoices.publish('i-1', 1);
  const runs = await invoices.untilRuns('the first try failed', (all) =>
    all.some(({ phase }) => phase === 'failed'),
  );
  const failed = runs.find(({ phase }) => phase === 'failed');
  expectText('the error', failed?.error ?? '', 'nowhere.invalid');
  expectText('the error', failed?.error ?? '', /[Nn]othing was sent/);
  await host.says('pause', invoices.id);
});

scenario('an answer that takes three seconds is waited for', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host());
  const slow = outside.hold('/file');
  await invoices.publish('i-1', 1);
  await slow.arrived;
  const from = Date.now();
  await w.until(
    'three seconds passed',
    () => Date.now() - from,
    (ms) => ms >= 3000,
  );
  expectSame('nobody is asked meanwhile', await invoices.inbox(), []);
  slow.release();
  await invoices.untilCommitted(1);
  expectSame('what was filed', outside.count(), 1);
});

scenario('an answer that takes longer than the workflow allows is an open question', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), {
    mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', json: 1, timeoutMs: 500 });`,
  });
  outside.hold('/file');
  await invoices.publish('i-1', 1);
  const { mutation } = await invoices.untilUnknown();
  expectText('the reason', mutation.error ?? '', '500 ms');
  expectSame('what was filed', outside.count(), 1);
});

scenario(
  'an answer that is not HTTP is an open question',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host());
    outside.script('/file', 'answer garbage');
    await invoices.publish('i-1', 1);
    await invoices.untilUnknown();
    expectSame('what was filed', outside.count(), 1);
  },
  { quick: true },
);

scenario('an answer that breaks off says which status had arrived', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host());
  outside.script('/file', 'cut in the answer');
  await invoices.publish('i-1', 1);
  const { mutation } = await invoices.untilUnknown();
  expectText('the reason', mutation.error ?? '', '201');
});

scenario('an answer of many megabytes does not make a filed invoice unfiled', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), { next: `console.log(outcome.status);` });
  outside.script('/file', { status: 201, acts: true, body: 'x'.repeat(12_000_000) });
  await invoices.publish('i-1', 1);
  const [run] = await invoices.untilCommitted(1);
  expectSame('its effect', run?.effect, 'applied');
  expectSame('what was filed', outside.count(), 1);
});

scenario('an answer in plain text reaches the next step as text', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), {
    next: `console.log('got ' + outcome.result.text);`,
  });
  outside.script('/file', { status: 200, acts: true, body: 'thank you' });
  await invoices.publish('i-1', 1);
  const [run] = await invoices.untilCommitted(1);
  const { logs } = await invoices.run(run?.id ?? '');
  expectSame(
    'the log',
    logs.map(({ text }) => text),
    ['got thank you'],
  );
});

scenario(
  'a file is written once, with what it should hold',
  async (w) => {
    const folder = w.folder();
    const notes = await w.add(
      await w.host(),
      workflowSource({
        name: w.name('notes'),
        uses: `{ files: { folders: [${JSON.stringify(folder)}] } }`,
        consumers: consumer('write', {
          mutate: `await ctx.tools.files.write({ path: '${folder}/' + prepared.data + '.txt', text: 'Note ' + prepared.data });`,
        }),
      }),
    );
    await notes.publish('n-1', 'one');
    await notes.untilCommitted(1);
    expectSame('the file', readFileSync(join(folder, 'one.txt'), 'utf8'), 'Note one');
  },
  { quick: true },
);
