// Calls that a service or Holdfast refuses: what that proves, and what it does not.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, workflowSource } from '#test/blackbox/harness/source.ts';

export const refusals = theme('refusals');
const { scenario } = refusals;

for (const [status, word] of [
  [400, 'bad request'],
  [404, 'not found'],
  [409, 'conflict'],
  [422, 'amount is negative'],
] as const) {
  scenario(
    `a payment that the service refuses with ${status} is shown with its words`,
    async (w) => {
      const outside = await w.outside();
      const host = await w.host();
      const payments = await w.filing(host, { base: 'payments' });
      const refusal = { status, body: JSON.stringify({ error: word }) };
      outside.script('/file', refusal, refusal, refusal, refusal, refusal, refusal);
      await payments.publish('p-1', 1);
      const item = await payments.untilItem('set_aside');
      expectThat('it names the event', (item.title ?? '').includes('p-1'), item);
      const failed = (await payments.runs()).find(({ phase }) => phase === 'failed');
      expectText('holdfast show', await host.says('show', failed?.id ?? ''), word);
      expectSame('payments made', outside.count(), 0);
    },
  );
}

scenario(
  'a service that wants another password is an open question, not a lost invoice',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host);
    outside.script('/file', { status: 401, body: '{"error":"token expired"}' });
    await invoices.publish('i-1', 1);
    const item = await invoices.untilItem('approval');
    expectText('what it says', item.error ?? '', '401');
    await host.says('resume', invoices.id);
    await invoices.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), [1]);
  },
);

scenario('a service that says "try again in 3 seconds" is left alone for 3 seconds', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host());
  outside.script('/file', { status: 429, headers: { 'Retry-After': '3' } });
  const from = Date.now();
  await invoices.publish('i-1', 1);
  await invoices.untilCommitted(1);
  const [act] = outside.done();
  expectSame('what was filed', outside.count(), 1);
  expectThat('it waited 3 s', (act?.at ?? 0) - from >= 2900, (act?.at ?? 0) - from);
});

scenario('an invoice is never sent along to another host that the service points to', async (w) => {
  const outside = await w.outside();
  const stranger = await w.anotherOutside();
  const invoices = await w.filing(await w.host());
  const moved = { status: 308, headers: { Location: `${stranger.url}/file` } };
  outside.script('/file', moved, moved, moved, moved);
  await invoices.publish('i-1', 1);
  await invoices.untilItem('set_aside');
  expectSame('what the stranger got', [stranger.acts, stranger.reads], [[], []]);
});

scenario(
  'a host that the file does not name is never contacted',
  async (w) => {
    const outside = await w.outside();
    const stranger = await w.anotherOutside();
    const invoices = await w.filing(await w.host(), {
      mutate: `await ctx.tools.http.post({ url: '${stranger.url}/file', json: 1 });`,
    });
    await invoices.publish('i-1', 1);
    const item = await invoices.untilItem('approval');
    expectText('it names the host', item.error ?? '', stranger.host);
    expectSame('what anybody got', [...stranger.acts, ...outside.acts], []);
  },
  { quick: true },
);

scenario('a step that wants to act twice is stopped before the second time', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), {
    mutate: `
      await Promise.all([
        ctx.tools.http.post({ url: '${outside.url}/file', json: 1 }),
        ctx.tools.http.post({ url: '${outside.url}/file', json: 2 }),
      ]);`,
  });
  await invoices.publish('i-1', 1);
  await invoices.untilRuns('a run ended', (runs) => runs.some(({ endedAt }) => endedAt !== null));
  expectThat('at most one effect', outside.count() <= 1, outside.bodies());
});

scenario(
  'a step that wants to act while it only may look is refused',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host(), {
      prepare: `await ctx.tools.http.post({ url: '${outside.url}/file', json: 1 });`,
    });
    await invoices.publish('i-1', 1);
    await invoices.untilRuns('the run failed', (runs) =>
      runs.some(({ phase }) => phase === 'failed'),
    );
    expectSame('effects', outside.count(), 0);
  },
  { quick: true },
);

scenario('a workflow cannot write outside of its folder, not even by a detour', async (w) => {
  const folder = w.folder();
  const allowed = join(folder, 'allowed');
  mkdirSync(allowed);
  const notes = await w.add(
    await w.host(),
    workflowSource({
      name: w.name('notes'),
      uses: `{ files: { folders: [${JSON.stringify(allowed)}] } }`,
      consumers: consumer('write', {
        mutate: `await ctx.tools.files.write({ path: '${allowed}/../stolen.txt', text: 'x' });`,
      }),
    }),
  );
  await notes.publish('n-1', 1);
  await w.until(
    'it is refused',
    () => notes.inbox(),
    (items) => items.length > 0,
  );
  expectSame('the file outside', existsSync(join(folder, 'stolen.txt')), false);
});

scenario('a secret that a service repeats in its refusal is shown nowhere', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const secret = `s3cret-${w.name('x')}-0123456789`;
  const name = w.name('token');
  await host.call('secrets.set', { name, value: secret });
  const invoices = await w.filing(host, {
    mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', json: 1, auth: { bearerSecret: '${name}' } });`,
  });
  const refusal = { status: 500, body: `wrong token: ${secret}` };
  outside.script('/file', refusal);
  await invoices.publish('i-1', 1);
  const { handlerRunId } = await invoices.untilUnknown();
  expectNoText('the inbox', await host.says('inbox'), secret);
  expectNoText('holdfast show', await host.says('show', handlerRunId ?? ''), secret);
  expectNoText('the log', host.lastLogLines().join('\n'), secret);
});

// After something was sent, only a statement about that very effect ends the doubt.
for (const status of [400, 401, 409, 422, 429]) {
  scenario(
    `a second send that is refused with ${status} proves nothing about the first`,
    async (w) => {
      const outside = await w.outside();
      const payments = await w.filing(await w.host(), { base: 'payments' });
      outside.script('/file', 'lose the answer', { status, body: '{"error":"no"}' });
      await payments.publish('p-1', 1);
      const { mutation } = await payments.untilUnknown();
      await payments.resolve(mutation, 'retry', '--yes');
      await w.until(
        'the second send was answered and its outcome recorded',
        async () => (await payments.runs())[0]?.effect ?? null,
        (effect) => effect !== 'in_flight' && effect !== null,
      );
      const again = await payments.untilUnknown();
      expectSame('the effect', again.mutation.status, 'indeterminate');
      expectSame('payments made', outside.count(), 1);
    },
  );
}
