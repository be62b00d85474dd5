// Unknown outcomes, questions and failures: a person decides once, and what they see is so.
import { randomUUID } from 'node:crypto';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
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

scenario(
  'I say that it went through, and the workflow continues with the result I give',
  async (w) => {
    const outside = await w.outside();
    const { payments, item } = await lostPayment(w, await w.host());
    await payments.resolve(item.mutation, 'happened', '--result', '{"number":7}');
    expectSame('what the next step saw', await payments.printed(), ['applied {"number":7}']);
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

scenario('I skip it: its events are skipped and nobody claims that it failed', async (w) => {
  const outside = await w.outside();
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.resolve(item.mutation, 'skip', '--note', 'not worth a call');
  expectSame('what the next step saw', await payments.printed(), ['skipped null']);
  const [run] = await payments.runs();
  expectSame('the effect in the history', run?.effect, 'indeterminate');
  expectSame('times sent', outside.count(), 1);
});

scenario(
  'of two decisions the first counts and the second is refused',
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
  expectSame('what the next step saw', await payments.printed(), ['applied null']);
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
  expectSame('what the next step saw', await payments.printed(), ['applied {"number":9}']);
  expectSame('payments made', outside.count(), 1);
});

scenario('a decision is shown in words, not in column names', async (w) => {
  const { payments, item } = await lostPayment(w, await w.host());
  await payments.resolve(item.mutation, 'did-not-happen');
  await payments.untilCommitted(1);
  const shown = await payments.host.says('show', item.handlerRunId ?? '');
  expectNoText('holdfast show', shown, /user_assert|user_retry|user_skip|carried_out/);
});

scenario('a late decision is answered in words, not in column names', async (w) => {
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
