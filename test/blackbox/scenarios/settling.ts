// Unknown outcomes, questions and failures: a person decides once, and what they see is so.
import { randomUUID } from 'node:crypto';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, takeAtLeast, workflowSource } from '#test/blackbox/harness/source.ts';
import type { DecisionView } from '#test/blackbox/harness/views.ts';
import type { UnknownEffect, Workflow } from '#test/blackbox/harness/workflow.ts';
import type { World } from '#test/blackbox/harness/world.ts';

export const settling = theme('settling');
const { scenario } = settling;

/** A workflow with one payment whose answer was lost. */
async function lostPayment(
  w: World,
  host: Host,
): Promise<{ readonly payments: Workflow; readonly item: UnknownEffect }> {
  const outside = await w.outside();
  const payments = await w.filing(host, {
    base: 'payments',
    next: `console.log(outcome.status, JSON.stringify(outcome.result ?? null));`,
  });
  outside.script('/file', 'lose the answer');
  await payments.publish('p-1', { amount: 7 });
  return { payments, item: await payments.untilUnknown() };
}

/** What the workflow's own code printed in its newest committed run. */
async function printed(payments: Workflow): Promise<readonly string[]> {
  const [run] = await payments.untilCommitted(1);
  const { logs } = await payments.run(run?.id ?? '');
  return logs.map(({ text }) => text);
}

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

scenario(
  'I say that it went through, and the workflow continues with the result I give',
  async (w) => {
    const outside = await w.outside();
    const { payments, item } = await lostPayment(w, await w.host());
    await payments.resolve(item.mutation, 'happened', '--result', '{"number":7}');
    expectSame('what the next step saw', await printed(payments), ['applied {"number":7}']);
    expectSame('payments made', outside.count(), 1);
    expectSame('the inbox', await payments.inbox(), []);
  },
  { quick: true },
);

scenario(
  'I say that it did not happen, and it is sent once more',
  async (w) => {
    const outside = await w.outside();
    const { payments, item } = await lostPayment(w, await w.host());
    await payments.resolve(item.mutation, 'did-not-happen');
    await payments.untilCommitted(1);
    expectSame('times sent', outside.count(), 2);
  },
  { quick: true },
);

scenario(
  'sending again where nobody can check needs my word twice',
  async (w) => {
    const outside = await w.outside();
    const { payments, item } = await lostPayment(w, await w.host());
    const refusal = await payments.host.refuses('resolve', item.mutation.id, '--as', 'retry');
    expectText('it names the option', refusal, '--yes');
    expectSame('times sent', outside.count(), 1);
    await payments.resolve(item.mutation, 'retry', '--yes');
    await payments.untilCommitted(1);
    const keys = outside.done().map(({ key }) => key);
    expectSame('both sends carry the same key', keys, [keys[0], keys[0]]);
  },
  { quick: true },
);

scenario('I skip it: the events are let go and nobody claims that it failed', async (w) => {
  const outside = await w.outside();
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.resolve(item.mutation, 'skip', '--note', 'not worth a call');
  expectSame('what the next step saw', await printed(payments), ['skipped null']);
  const [run] = await payments.runs();
  expectSame('the effect in the history', run?.effect, 'indeterminate');
  expectSame('times sent', outside.count(), 1);
});

scenario(
  'of two decisions the first counts and the second is told so',
  async (w) => {
    const outside = await w.outside();
    const { payments, item } = await lostPayment(w, await w.host());
    await payments.resolve(item.mutation, 'happened');
    await payments.untilCommitted(1);
    await payments.host.refuses('resolve', item.mutation.id, '--as', 'did-not-happen');
    await payments.publish('p-2', 2);
    await payments.untilCommitted(2);
    expectSame('times sent', outside.count(), 2);
  },
  { quick: true },
);

scenario('after a decision the workflow continues with what waited', async (w) => {
  const outside = await w.outside();
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.publish('p-2', 2);
  await payments.publish('p-3', 3);
  expectSame('sent while the question is open', outside.count(), 1);
  await payments.resolve(item.mutation, 'happened');
  await payments.untilCommitted(3);
  expectSame('what was sent', outside.bodies(), [{ amount: 7 }, 2, 3]);
});

scenario('a decision can be taken back while its grace period lasts', async (w) => {
  const { payments, item } = await lostPayment(w, await w.host());
  const decision = await payments.host.call<DecisionView>('inbox.resolve', {
    requestId: randomUUID(),
    mutationId: item.mutation.id,
    resolution: 'user_skip',
    graceMs: 15_000,
  });
  expectSame('the decision waits', decision.status, 'waiting');
  await payments.host.call('inbox.withdraw', { resolutionId: decision.id });
  const still = await payments.untilUnknown();
  expectSame('the effect', still.mutation.status, 'indeterminate');
  await payments.resolve(item.mutation, 'happened');
  expectSame('what the next step saw', await printed(payments), ['applied null']);
});

scenario('a decision in its grace period is not shown as carried out', async (w) => {
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.host.call('inbox.resolve', {
    requestId: randomUUID(),
    mutationId: item.mutation.id,
    resolution: 'user_assert_applied',
    graceMs: 15_000,
  });
  const shown = await payments.host.says('show', item.handlerRunId ?? '');
  expectNoText('holdfast show', shown, /carried[ _]out|\bdone\b/);
});

scenario('a decision about a paused workflow does not claim that the run continues', async (w) => {
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.host.says('pause', payments.id);
  const said = await payments.resolve(item.mutation, 'happened');
  expectText('it says that the workflow is paused', said, /paused|resume/);
});

scenario('the same click sent twice is one decision', async (w) => {
  const outside = await w.outside();
  const { payments, item } = await lostPayment(w, await w.host());
  const click = {
    requestId: randomUUID(),
    mutationId: item.mutation.id,
    resolution: 'user_assert_failed',
  };
  await Promise.all([
    payments.host.call('inbox.resolve', click),
    payments.host.call('inbox.resolve', click),
  ]);
  await payments.untilCommitted(1);
  expectSame('times sent', outside.count(), 2);
});

scenario('a decision made while no host runs is carried out at the next start', async (w) => {
  const outside = await w.outside();
  const host = await w.ownHost();
  const { payments, item } = await lostPayment(w, host);
  await host.stop();
  await host.says('resolve', item.mutation.id, '--as', 'happened', '--result', '{"number":9}');
  await host.start();
  expectSame('what the next step saw', await printed(payments), ['applied {"number":9}']);
  expectSame('payments made', outside.count(), 1);
});

scenario('what was decided is told in words, not in the names of columns', async (w) => {
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.resolve(item.mutation, 'did-not-happen');
  await payments.untilCommitted(1);
  const shown = await payments.host.says('show', item.handlerRunId ?? '');
  expectNoText('holdfast show', shown, /user_assert|user_retry|user_skip|carried_out/);
});

scenario('a late decision is answered in words, not in the names of columns', async (w) => {
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.resolve(item.mutation, 'happened');
  await payments.untilCommitted(1);
  const refusal = await payments.host.refuses('resolve', item.mutation.id, '--as', 'skip');
  expectNoText('the message', refusal, /user_assert|user_retry|user_skip/);
});

scenario('while the service is being asked nobody says that the outcome is known', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const payments = await w.filing(host, { base: 'payments', checks: 'finds' });
  outside.isHiding = true;
  outside.script('/file', 'lose the answer');
  await payments.publish('p-1', 1);
  const runs = await payments.untilRuns('the service is being asked', (all) =>
    all.some(({ effect }) => effect === 'needs_reconcile'),
  );
  const { mutation } = await payments.run(runs[0]?.id ?? '');
  const refusal = await host.refuses('resolve', mutation?.id ?? '', '--as', 'happened');
  expectNoText('the message', refusal, /is known by now|needs_reconcile/);
  outside.isHiding = false;
  await payments.untilCommitted(1);
});

scenario('while the service is being asked, list and inbox say the same', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const payments = await w.filing(host, { base: 'payments', checks: 'finds' });
  outside.isHiding = true;
  outside.script('/file', 'lose the answer');
  await payments.publish('p-1', 1);
  await payments.untilRuns('the service is being asked', (all) =>
    all.some(({ effect }) => effect === 'needs_reconcile'),
  );
  const listed = await payments.listed();
  const isInInbox = (await host.says('inbox')).includes(payments.name);
  const isWaiting = /waits for you|needs you/.test(listed);
  expectSame('list sends me to the inbox, and the inbox has it', isWaiting, isInInbox);
  outside.isHiding = false;
  await payments.untilCommitted(1);
});

scenario('an open question of a paused workflow is still in the inbox', async (w) => {
  const { payments } = await lostPayment(w, await w.host());
  await payments.host.says('pause', payments.id);
  expectSame(
    'the inbox',
    (await payments.inbox()).map(({ type }) => type),
    ['unknown_effect'],
  );
});

scenario('a service is also asked about a payment of a paused workflow', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const payments = await w.filing(host, { base: 'payments', checks: 'finds' });
  outside.isHiding = true;
  outside.script('/file', 'lose the answer');
  await payments.publish('p-1', 1);
  await w.until(
    'it was asked once',
    () => outside.reads.length,
    (asked) => asked >= 1,
  );
  await host.says('pause', payments.id);
  const asked = outside.reads.length;
  outside.isHiding = false;
  await w.until(
    'it is asked again, or I am',
    async () => ({ asked: outside.reads.length, inbox: await payments.inbox() }),
    (seen) => seen.asked > asked || seen.inbox.length > 0,
  );
});

scenario('after I revoked the permission, the open payment still says where to look', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const { payments, item } = await lostPayment(w, host);
  expectText('where to look, before', JSON.stringify(item.mutation), outside.url);
  await host.says('revoke', payments.id, 'http');
  const { mutation } = await payments.untilUnknown();
  expectText('what was sent', mutation.title, outside.url);
  expectThat('where to look', mutation.lookByHand !== '', mutation);
});

scenario(
  'a question is answered on the command line, and the run continues with it',
  async (w) => {
    const host = await w.host();
    const asking = await w.add(host, questioning(w.name('asking')));
    await asking.publish('q-1', 'rent');
    const { mutationId = '', question } = await asking.untilItem('question');
    expectSame('the question', question, 'Pay rent?');
    await host.says('answer', mutationId, 'yes');
    expectSame('what the next step saw', await printed(asking), ['answer: yes']);
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
