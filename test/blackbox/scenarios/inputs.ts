// Webhooks and other inputs: proven, counted once, and followed to their end.
import { expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, takeAtLeast, workflowSource } from '#test/blackbox/harness/source.ts';

export const inputs = theme('inputs');
const { scenario } = inputs;

scenario('"start --wait" exits with how it ended', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const orders = await w.filing(host, {
    base: 'orders',
    prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (!event) return;
      if (event.payload === 'fail') throw new Error('no');
      return { reservations: [event], data: event.payload };`,
  });
  const start = async (payload: string): Promise<number | null> => {
    const input = JSON.stringify(payload);
    return (await host.cli('start', orders.name, '--input', input, '--wait')).code;
  };
  expectSame('succeeded', await start('fine'), 0);
  outside.script('/file', 'lose the answer');
  expectSame('needs a person', await start('lost'), 2);
  const item = await orders.untilUnknown();
  await orders.resolve(item.mutation, 'skip');
  await orders.untilView('it continues', ({ openQuestions }) => openQuestions === 0);
  expectSame('failed', await start('fail'), 1);
});

scenario('an input started twice with the same key is one input', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const orders = await w.filing(host, { base: 'orders' });
  const start = ['start', orders.name, '--input', '{"n":1}', '--key', w.name('key')];
  await host.says(...start, '--wait');
  await host.says(...start, '--wait');
  expectSame('inputs', (await orders.inputs()).length, 1);
  expectSame('what was filed', outside.count(), 1);
});

scenario('I can follow an input from its arrival to its effect', async (w) => {
  const host = await w.host();
  const orders = await w.filing(host, {
    base: 'orders',
    next: `await ctx.complete({ filed: true });`,
  });
  const { id } = await orders.start({ n: 1 });
  const detail = await orders.untilInput(id, 'succeeded');
  expectSame('how it ended', detail.completion, { filed: true });
  expectSame(
    'its steps',
    detail.steps.map(({ type }) => type),
    ['event', 'handler_run'],
  );
  expectSame('its effects', detail.sideEffects.length, 1);
  expectText('holdfast show', await host.says('show', id), '/file');
});

scenario('two orders that were filed together both need me when the answer is lost', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const orders = await w.filing(host, { base: 'orders', prepare: takeAtLeast(2) });
  await host.says('pause', orders.id);
  const [a, b] = [await orders.start('a'), await orders.start('b')];
  await w.until(
    'both wait',
    () => orders.events(),
    (events) => events.length === 2,
  );
  outside.script('/file', 'lose the answer');
  await host.says('resume', orders.id);
  await orders.untilUnknown();
  const ends = [await orders.untilInput(a.id), await orders.untilInput(b.id)];
  expectSame(
    'the two orders',
    ends.map(({ run }) => run.status),
    ['needs_human', 'needs_human'],
  );
});

scenario(
  'what follows two orders that were merged counts for both',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const orders = await w.filing(host, {
      base: 'orders',
      topics: ['in', 'after'],
      prepare: takeAtLeast(2),
      publishes: ['after'],
      next: `await ctx.publish('after', { id: 'a', title: 'a', payload: 1 });`,
      more: consumer('after', {
        topic: 'after',
        mutate: `await ctx.tools.http.post({ url: '${outside.url}/after', json: prepared.data });`,
      }),
    });
    await host.says('pause', orders.id);
    const [a, b] = [await orders.start('a'), await orders.start('b')];
    await w.until(
      'both wait',
      () => orders.events(),
      (events) => events.length === 2,
    );
    outside.script('/after', 'lose the answer');
    await host.says('resume', orders.id);
    await orders.untilUnknown();
    const statuses = [(await orders.input(a.id)).run.status, (await orders.input(b.id)).run.status];
    expectSame('the two orders', statuses, ['needs_human', 'needs_human']);
  },
  { quick: true },
);

scenario('an input that led to nothing says so', async (w) => {
  const orders = await w.filing(await w.host(), {
    base: 'orders',
    prepare: `
      const events = await ctx.peek('in', { limit: 10 });
      if (events.length > 0) return { reservations: events };`,
    mutate: `if (prepared.data) await ctx.tools.http.post({ url: 'http://nowhere.invalid' });`,
  });
  const { id } = await orders.start(null);
  const { run } = await orders.untilInput(id);
  expectThat(
    'it says that nothing was done',
    /nothing|no effect|no event/i.test(run.statusReason ?? ''),
    run,
  );
});

scenario('an input that was registered without an event has not succeeded', async (w) => {
  const host = await w.host();
  const mail = await w.add(
    host,
    workflowSource({
      name: w.name('mail'),
      producers: producer('look', {
        run: `await ctx.registerInput({ source: 'mailbox', type: 'mail', id: 'm-1', title: 'A letter' });`,
      }),
    }),
  );
  await host.says('run', mail.id, 'look');
  await mail.untilCommitted(1, 'look');
  const [input] = await w.until(
    'the input is listed',
    () => mail.inputs(),
    (all) => all.some(({ title }) => title === 'A letter'),
  );
  expectThat('it does not claim success', input?.run.status !== 'succeeded', input?.run);
});

scenario('a letter that a workflow registers twice is one input', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const mail = await w.filing(host, {
    base: 'mail',
    producers: producer('look', {
      run: `await ctx.registerInput({ source: 'mailbox', type: 'mail', id: 'm-1', title: 'A letter', topic: 'in', payload: 'hello' });`,
    }),
  });
  await host.says('run', mail.id, 'look');
  await mail.untilCommitted(1, 'file');
  await host.says('run', mail.id, 'look');
  await mail.untilCommitted(2, 'look');
  expectSame(
    'letters',
    (await mail.inputs()).filter(({ title }) => title === 'A letter').length,
    1,
  );
  expectSame('what was filed', outside.bodies(), ['hello']);
});

scenario(
  'an order that I skip before it acts is not filed',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const orders = await w.filing(host, { base: 'orders' });
    await host.says('pause', orders.id);
    const skipped = await orders.start('no');
    const kept = await orders.start('yes');
    await w.until(
      'both wait',
      () => orders.events(),
      (events) => events.length === 2,
    );
    await host.call('inputs.skip', { inputId: skipped.id, reason: 'test order' });
    await host.says('resume', orders.id);
    await orders.untilInput(kept.id, 'succeeded');
    await orders.untilInput(skipped.id, 'skipped');
    expectSame('what was filed', outside.bodies(), ['yes']);
  },
  { quick: true },
);

scenario('an order that cannot be handled ends as failed', async (w) => {
  const orders = await w.filing(await w.host(), {
    base: 'orders',
    prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (event) throw new Error('no such article');`,
  });
  const { id } = await orders.start(1);
  const { run } = await orders.untilInput(id, 'failed');
  expectText('its reason', run.statusReason ?? '', /set aside|no such article/);
});

scenario('a call with the same Idempotency-Key is carried out once', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const orders = await w.filing(host, { base: 'orders' });
  const { eventId } = await orders.publish('o-1', 1);
  await orders.untilCommitted(1);
  const key = { 'Idempotency-Key': w.name('key') };
  const body = JSON.stringify({ eventId });
  const first = await (await host.send('/api/call/events.rerun', body, key)).text();
  await orders.untilCommitted(2);
  const second = await (await host.send('/api/call/events.rerun', body, key)).text();
  expectSame('the answer', second, first);
  const other = await host.send('/api/call/events.rerun', JSON.stringify({ eventId: 'x' }), key);
  expectSame('the same key for something else', other.status, 409);
  expectSame('what was filed', outside.count(), 2);
});
