// Questions, skips, reruns, permissions and refusals: what a person does about work that waits or failed.
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, takeAtLeast, workflowSource } from '#test/blackbox/harness/source.ts';

export const deciding = theme('deciding');
const { scenario } = deciding;

scenario(
  'a question is answered on the command line, and the run continues with it',
  async (w) => {
    const host = await w.host();
    const asking = await w.add(host, questioning(w.name('asking')));
    await asking.publish('q-1', 'rent');
    const { mutationId = '', question } = await asking.untilItem('question');
    expectSame('the question', question, 'Pay rent?');
    await host.says('answer', mutationId, 'yes');
    expectSame('what the next step saw', await asking.printed(), ['answer: yes']);
  },
  { quick: true },
);

scenario('an answer that is none of the choices is refused', async (w) => {
  const host = await w.host();
  const asking = await w.add(host, questioning(w.name('asking')));
  await asking.publish('q-1', 'rent');
  const { mutationId = '' } = await asking.untilItem('question');
  expectText('the message', await host.refuses('answer', mutationId, 'maybe'), /yes/);
  expectSame('the question is still open', (await asking.inbox()).length, 1);
});

scenario(
  'skipping one of three invoices that wait together files the other two',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const asking = await w.add(
      host,
      workflowSource({
        name: w.name('batch'),
        uses: `{ http: { hosts: ['${outside.host}'] } }`,
        consumers: consumer('file', {
          prepare: takeAtLeast(1),
          mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', json: prepared.data, auth: { bearerSecret: '${w.name('secret')}' } });`,
        }),
      }),
    );
    await host.says('pause', asking.id);
    const [first, second, third] = [
      await asking.start(1),
      await asking.start(2),
      await asking.start(3),
    ];
    await w.until(
      'all three wait',
      () => asking.events(),
      (events) => events.length === 3,
    );
    await host.says('resume', asking.id);
    await asking.untilItem('approval');
    await host.call('inputs.skip', { inputId: second.id, reason: 'a duplicate' });
    await asking.untilInput(second.id, 'skipped');
    await host.call('secrets.set', { name: w.name('secret'), value: 'x'.repeat(20) });
    await host.says('resume', asking.id);
    const ends = await Promise.all(
      [first, third].map(async ({ id }) => (await asking.untilInput(id)).run.status),
    );
    expectSame('the other two', ends, ['succeeded', 'succeeded']);
    const filed = (outside.bodies().flat() as number[]).toSorted((a, b) => a - b);
    expectSame('what was filed', filed, [1, 3]);
  },
  { quick: true },
);

scenario('canceling a run that took three events gives them back', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const batch = await w.add(
    host,
    workflowSource({
      name: w.name('batch'),
      uses: `{ http: { hosts: ['${outside.host}'] } }`,
      consumers: consumer('file', {
        prepare: takeAtLeast(3),
        mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', json: prepared.data, auth: { bearerSecret: '${w.name('secret')}' } });`,
      }),
    }),
  );
  await host.says('pause', batch.id);
  for (let n = 1; n <= 3; n += 1) await batch.publish(`b-${n}`, n);
  await host.says('resume', batch.id);
  const { handlerRunId = '' } = await batch.untilItem('approval');
  await host.call('handlerRuns.cancel', { handlerRunId });
  await batch.untilRuns('the run ended', (runs) =>
    runs.some(({ id, endedAt }) => id === handlerRunId && endedAt !== null),
  );
  const events = await batch.events();
  expectSame(
    'events that were thrown away',
    events.filter(({ status }) => status === 'skipped'),
    [],
  );
});

scenario(
  'an input whose effect was made does not show "skipped" when I skip it too late',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host, {
      topics: ['in', 'after'],
      publishes: ['after'],
      next: `await ctx.publish('after', { id: 'a', title: 'a' });`,
      more: consumer('finish', {
        topic: 'after',
        mutate: `await ctx.tools.http.post({ url: '${outside.url}/after', json: 1, auth: { bearerSecret: '${w.name('secret')}' } });`,
      }),
    });
    const input = await invoices.start(1);
    await invoices.untilItem('approval');
    expectSame('invoices filed', outside.count('/file'), 1);
    await host.call('inputs.skip', { inputId: input.id, reason: 'enough' });
    const { run } = await invoices.untilInput(
      input.id,
      'skipped',
      'canceled',
      'succeeded',
      'failed',
    );
    expectThat('it does not say "skipped"', run.status !== 'skipped', run);
  },
);

scenario('an input that I settle myself keeps its first end in the history', async (w) => {
  const host = await w.host();
  const failing = await w.filing(host, { prepare: failsWith('the form is empty') });
  const input = await failing.start(1);
  const failed = await failing.untilInput(input.id, 'failed');
  const endedAt = failed.run.completedAt;
  await host.call('inputs.settle', { inputId: input.id, as: 'succeeded', reason: 'done on paper' });
  const settled = await failing.untilInput(input.id, 'succeeded');
  expectSame(
    'its ends',
    settled.history.map(({ to }) => to).filter((to) => to === 'failed' || to === 'succeeded'),
    ['failed', 'succeeded'],
  );
  expectSame('the time of its first end', settled.run.completedAt, endedAt);
});

scenario(
  'an event that fails three times is set aside, and the fixed workflow files it',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host, { prepare: failsWith('amount is missing') });
    await invoices.publish('i-1', 1);
    const { eventId = '' } = await invoices.untilItem('set_aside');
    await invoices.change(await w.filingSource());
    await host.says('rerun', eventId);
    await invoices.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), [1]);
  },
);

scenario('a workflow that fails before it looks at an event stops and says why', async (w) => {
  const invoices = await w.filing(await w.host(), { prepare: `throw new Error('no rates');` });
  await invoices.publish('i-1', 1);
  const { reason } = await invoices.untilItem('stopped');
  expectText('it says why', reason ?? '', 'no rates');
  expectText('holdfast list', await invoices.listed(), /paused/);
});

scenario('a rerun on purpose is a new effect with a new key', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const invoices = await w.filing(host);
  const { eventId } = await invoices.publish('i-1', 1);
  await invoices.untilCommitted(1);
  await host.says('rerun', eventId);
  await invoices.untilCommitted(2);
  const keys = new Set(outside.done().map(({ key }) => key));
  expectSame('keys', keys.size, 2);
});

scenario('a missing secret is asked for by name, and nothing is sent before', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const secret = w.name('bank');
  const invoices = await w.filing(host, {
    mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', json: 1, auth: { bearerSecret: '${secret}' } });`,
  });
  await invoices.publish('i-1', 1);
  const { error } = await invoices.untilItem('approval');
  expectText('it names the secret', error ?? '', secret);
  expectSame('sent before', outside.count(), 0);
  await host.call('secrets.set', { name: secret, value: 'twelve-letters-long' });
  await host.says('resume', invoices.id);
  await invoices.untilCommitted(1);
});

scenario('a permission that I grant later lets the waiting work continue', async (w) => {
  const outside = await w.outside();
  const other = await w.anotherOutside();
  const host = await w.host();
  const invoices = await w.filing(host, {
    mutate: `await ctx.tools.http.post({ url: '${other.url}/file', json: 1 });`,
  });
  await invoices.publish('i-1', 1);
  await invoices.untilItem('approval');
  const hosts = JSON.stringify({ hosts: [outside.host, other.host] });
  await host.says('grant', invoices.id, 'http', hosts);
  await host.says('resume', invoices.id);
  await invoices.untilCommitted(1);
  expectSame('what was sent', other.count(), 1);
});

scenario('a refusal about an ended input is a sentence in good English', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  const input = await invoices.start(1);
  await invoices.untilInput(input.id, 'succeeded');
  const { message } = await host.refusal('inputs.settle', {
    inputId: input.id,
    as: 'failed',
    reason: 'I changed my mind',
  });
  expectNoText('the message', message, /\b[Aa] (automation|event|input|effect|unknown|open)/);
});

scenario('a refusal about a waiting event is a sentence in good English', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  await host.says('pause', invoices.id);
  const { eventId } = await invoices.publish('i-1', 1);
  const message = await host.refuses('rerun', eventId);
  expectNoText('the message', message, /\b[Aa] (automation|event|input|effect|unknown|open)/);
});

/** The body of a `prepare` that can't handle its event. */
function failsWith(message: string): string {
  return `
    const [event] = await ctx.peek('in', { limit: 1 });
    if (event) throw new Error('${message}');`;
}

function questioning(name: string): string {
  return workflowSource({
    name,
    uses: '{ ask: {} }',
    consumers: consumer('ask', {
      mutate: `await ctx.tools.ask.question({ question: 'Pay ' + prepared.data + '?', choices: ['yes', 'no'] });`,
      next: `console.log('answer: ' + outcome.result.answer);`,
    }),
  });
}
