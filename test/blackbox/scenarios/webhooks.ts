// Webhooks: proven, counted once, and answered with what is wrong.
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { Hook } from '#test/blackbox/harness/hook.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';

export const webhooks = theme('webhooks');
const { scenario } = webhooks;

scenario(
  'a webhook of the shop is filed',
  async (w) => {
    const outside = await w.outside();
    const orders = await w.filing(await w.host(), { base: 'orders' });
    const hook = await Hook.create(orders);
    const answer = await hook.post('{"order":17}');
    const { id } = (await answer.json()) as { id: string };
    expectSame('the answer', answer.status, 202);
    await orders.untilInput(id, 'succeeded');
    expectSame('what was filed', outside.bodies(), [{ order: 17 }]);
  },
  { quick: true },
);

scenario('a webhook without the right token is turned away', async (w) => {
  const orders = await w.filing(await w.host(), { base: 'orders' });
  const hook = await Hook.create(orders);
  const answers = [
    await hook.post('{}', { Authorization: 'Bearer wrong' }),
    await hook.post('{}', {}),
  ];
  expectSame(
    'the answers',
    answers.map(({ status }) => status),
    [401, 401],
  );
  expectSame('inputs', await orders.inputs(), []);
});

scenario('a signed webhook in which one letter was changed is turned away', async (w) => {
  const orders = await w.filing(await w.host(), { base: 'orders' });
  const hook = await Hook.create(orders, '--auth', 'github', '--dedup', 'header:X-GitHub-Delivery');
  expectSame('as it was signed', (await hook.github('{"n":1}', 'd-1')).status, 202);
  const signed = await hook.github('{"n":2}', 'd-2', 'another secret of that length');
  expectSame('with another signature', signed.status, 401);
});

scenario('a signed webhook that is ten minutes old is turned away', async (w) => {
  const orders = await w.filing(await w.host(), { base: 'orders' });
  const hook = await Hook.create(orders, '--auth', 'stripe');
  expectSame('now', (await hook.stripe('{"n":1}', Date.now())).status, 202);
  expectSame('old', (await hook.stripe('{"n":2}', Date.now() - 600_000)).status, 401);
  expectSame('future', (await hook.stripe('{"n":3}', Date.now() + 600_000)).status, 401);
});

scenario(
  'a webhook that the shop repeats is filed once and answered alike',
  async (w) => {
    const outside = await w.outside();
    const orders = await w.filing(await w.host(), { base: 'orders' });
    const hook = await Hook.create(orders, '--dedup', 'path:order.id');
    const first = await hook.post('{"order":{"id":"A-1"},"try":1}');
    const again = await hook.post('{"order":{"id":"A-1"},"try":2}');
    const texts = [await first.text(), await again.text()];
    expectSame('both answers', texts, [texts[0], texts[0]]);
    expectSame('statuses', [first.status, again.status], [202, 202]);
    await orders.untilCommitted(1);
    await orders.publish('marker', 'marker');
    await orders.untilCommitted(2);
    expectSame('what was filed', outside.bodies(), [{ order: { id: 'A-1' }, try: 1 }, 'marker']);
  },
  { quick: true },
);

scenario('ten copies of one webhook at the same moment are one input', async (w) => {
  const orders = await w.filing(await w.host(), { base: 'orders' });
  const hook = await Hook.create(orders, '--dedup', 'path:id');
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => hook.post(`{"id":"same","n":${n}}`)),
  );
  expectSame(
    'the answers',
    answers.map(({ status }) => status),
    Array.from({ length: 10 }, () => 202),
  );
  await orders.untilCommitted(1);
  expectSame('inputs', (await orders.inputs()).length, 1);
});

scenario('the same signed bytes under another delivery number are a replay', async (w) => {
  const orders = await w.filing(await w.host(), { base: 'orders' });
  const hook = await Hook.create(orders, '--auth', 'github', '--dedup', 'header:X-GitHub-Delivery');
  await hook.github('{"n":1}', 'd-1');
  expectSame('the answer', (await hook.github('{"n":1}', 'd-2')).status, 409);
  expectSame('inputs', (await orders.inputs()).length, 1);
});

scenario(
  'what a sender does wrong is answered with what is wrong',
  async (w) => {
    const orders = await w.filing(await w.host(), { base: 'orders' });
    const hook = await Hook.create(orders, '--dedup', 'path:id');
    const broken = await hook.post('{"id": 1,,}');
    expectSame('not JSON', broken.status, 400);
    expectText('it says where', await broken.text(), /1[01]|position|column/i);
    expectSame('without its id', (await hook.post('{"n":1}')).status, 400);
    expectSame(
      'too large',
      (await hook.post(`{"id":"x","t":"${'x'.repeat(1_100_000)}"}`)).status,
      413,
    );
    expectSame('not a POST', (await fetch(hook.address)).status, 405);
    const nowhere = await fetch(`${hook.address}x`, { method: 'POST', body: '{}' });
    expectSame('no such hook', nowhere.status, 404);
    expectSame('inputs', await orders.inputs(), []);
  },
  { quick: true },
);

scenario('a sender that floods a hook learns when to come back', async (w) => {
  const orders = await w.filing(await w.host(), { base: 'orders' });
  await orders.host.says('pause', orders.id);
  const hook = await Hook.create(orders, '--dedup', 'path:id');
  let refused: Response | undefined;
  for (let round = 0; round < 60 && !refused; round += 1) {
    const answers = await Promise.all(Array.from({ length: 64 }, () => hook.post('{"no":"id"}')));
    refused = answers.find(({ status }) => status === 429);
  }
  expectThat('it has to wait', Number(refused?.headers.get('retry-after')) >= 1, refused?.status);
});

scenario('a password in a webhook is stored nowhere', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const orders = await w.filing(host, { base: 'orders' });
  const hook = await Hook.create(orders, '--redact', 'customer.note');
  const answer = await hook.post(
    '{"customer":{"note":"blue door","name":"Ada"},"password":"hunter2hunter2"}',
  );
  const { id } = (await answer.json()) as { id: string };
  await orders.untilInput(id, 'succeeded');
  const filed = outside.done()[0]?.text ?? '';
  expectText('what was filed', filed, 'Ada');
  expectNoText('what was filed', filed, /hunter2|blue door/);
  const shown = await host.says('show', id);
  expectNoText('holdfast show', shown, /hunter2|blue door/);
});

scenario('after a new secret the old one works as long as I said', async (w) => {
  const host = await w.host();
  const orders = await w.filing(host, { base: 'orders' });
  const hook = await Hook.create(orders);
  const { secret } = JSON.parse(
    await host.says('hook', 'rotate', hook.id, '--overlap', '1h', '--json'),
  ) as { secret: string };
  const status = async (token: string, n: number): Promise<number> =>
    (await hook.post(`{"n":${n}}`, { Authorization: `Bearer ${token}` })).status;
  expectSame('old and new', [await status(hook.secret, 1), await status(secret, 2)], [202, 202]);
  await host.says('hook', 'rotate', hook.id);
  expectSame('the first one later', await status(hook.secret, 3), 401);
  await host.says('hook', 'remove', hook.id);
  expectSame('after it was removed', await status(secret, 4), 404);
});
