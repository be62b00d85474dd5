// What others send, hostile or by mistake: refused by name, with nothing half done.
import { request } from 'node:http';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { Hook } from '#test/blackbox/harness/hook.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, workflowSource } from '#test/blackbox/harness/source.ts';

export const badInput = theme('bad input');
const { scenario } = badInput;

const CALL = '/api/call/events.publish';

scenario(
  'a call without the token gets nothing',
  async (w) => {
    const host = await w.host();
    const answers = [
      await host.send('/api/call/workflows.list', '{}', { Authorization: '' }),
      await host.send('/api/call/workflows.list', '{}', { Authorization: 'Bearer wrong' }),
      await host.send('/api/call/workflows.list', '{}', { Authorization: `Basic ${host.token}` }),
    ];
    expectSame(
      'the answers',
      answers.map(({ status }) => status),
      [401, 401, 401],
    );
  },
  { quick: true },
);

scenario('a web page that guesses the address gets nothing', async (w) => {
  const host = await w.host();
  expectSame('another origin', await statusOf(host, { Origin: 'https://evil.example' }), 403);
  expectSame('another host name', await statusOf(host, { Host: 'evil.example' }), 403);
});

scenario('a body that is not JSON is refused', async (w) => {
  const host = await w.host();
  const answer = await host.send(CALL, '{"workflowId": ');
  expectSame('the answer', answer.status, 400);
});

scenario('a call that does not exist is refused by its name', async (w) => {
  const host = await w.host();
  const refusal = await host.refusal('workflows.explode', {});
  expectSame('the refusal', refusal.type, 'unknown_call');
  expectText('it names the call', refusal.message, 'workflows.explode');
  await host.refuses('call', 'workflows.explode', '{}');
});

scenario(
  'a call with wrong fields says which fields',
  async (w) => {
    const host = await w.host();
    const refusal = await host.refusal('events.publish', { workflowId: 7, extra: true });
    expectSame('the refusal', refusal.type, 'invalid_input');
    const problems = (refusal.problems ?? []).join('\n');
    for (const field of ['workflowId', 'topic', 'messageId', 'extra']) {
      expectText('its problems', problems, field);
    }
  },
  { quick: true },
);

scenario('an event of more than a megabyte is refused, and the host stays up', async (w) => {
  const invoices = await w.filing(await w.host());
  const event = { workflowId: invoices.id, topic: 'in', messageId: 'b', title: 'b' };
  const refusal = await invoices.host.refusal('events.publish', {
    ...event,
    payload: 'x'.repeat(1_100_000),
  });
  expectThat('it says why', /large|long|MiB|bytes/i.test(refusal.message), refusal);
  const answer = await invoices.host.send(CALL, 'x'.repeat(5_000_000));
  expectSame('a body of five megabytes', answer.status, 413);
  expectSame('events', await invoices.events(), []);
});

scenario('a payload that is nested a thousand deep is refused', async (w) => {
  const invoices = await w.filing(await w.host());
  const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
  const body = `{"workflowId":"${invoices.id}","topic":"in","messageId":"d","title":"d","payload":${deep}}`;
  const answer = await invoices.host.send(CALL, body);
  expectSame('the answer', answer.status, 400);
  expectSame('events', await invoices.events(), []);
});

scenario(
  'a field called __proto__ is refused, and a field called constructor does no harm',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host());
    const hook = await Hook.create(invoices);
    const refused = await hook.post('{"__proto__":{"polluted":true},"n":1}');
    expectSame('the answer', refused.status, 400);
    expectText('it says why', await refused.text(), '__proto__');
    await hook.post('{"constructor":{"prototype":{"x":1}},"n":1}');
    await invoices.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), [
      { constructor: { prototype: { x: 1 } }, n: 1 },
    ]);
  },
);

scenario('an event without an id or a title is refused', async (w) => {
  const invoices = await w.filing(await w.host());
  const event = { workflowId: invoices.id, topic: 'in', payload: 1 };
  for (const bad of [
    { messageId: '', title: 't' },
    { messageId: 'x'.repeat(201), title: 't' },
    { messageId: 'a', title: '' },
    { messageId: 'a', title: 'x'.repeat(201) },
    { messageId: 'a' },
  ]) {
    const refusal = await invoices.host.refusal('events.publish', { ...event, ...bad });
    expectSame('the refusal', refusal.type, 'invalid_input');
  }
  expectSame('events', await invoices.events(), []);
});

scenario('half of a character is refused or stored, never replaced', async (w) => {
  const invoices = await w.filing(await w.host());
  const body = `{"workflowId":"${invoices.id}","topic":"in","messageId":"s","title":"s","payload":"\\ud800"}`;
  const answer = await invoices.host.send(CALL, body);
  const [event] = await invoices.events();
  expectThat(
    'it is refused, or it is as it was',
    answer.status === 400 ? event === undefined : event?.payload === '\ud800',
    { status: answer.status, event },
  );
});

scenario('the cursor of a page that somebody made up is refused', async (w) => {
  const host = await w.host();
  const refusal = await host.refusal('workflows.list', { after: 'made-up' });
  expectSame('the refusal', refusal.type, 'invalid_input');
});

scenario('a path that climbs out of the window’s folder gets nothing', async (w) => {
  const host = await w.host();
  const climb = ['..', '%2e%2e', '..%2f..%2f..'];
  for (const up of climb) {
    const { text } = await raw(host, `/${up}/${up}/package.json`);
    expectNoText(`what ${up} leads to`, text, '"dependencies"');
  }
});

for (const [what, source, said] of [
  ['without a default export', 'export const x = 1;', /default export/],
  ['with a typing mistake', 'export default workflow({ name: }', /:1:\d+/],
  ['that loops while it is read', 'for (;;);', /./],
  [
    'with two consumers of one topic',
    workflowSource({ name: 'two', consumers: consumer('a', {}) + consumer('b', {}) }),
    /\bin\b/,
  ],
  [
    'with a consumer of a topic that is not there',
    workflowSource({ name: 'none', consumers: consumer('a', { topic: 'nowhere' }) }),
    /nowhere/,
  ],
  [
    'that runs every second',
    workflowSource({
      name: 'often',
      producers: producer('p', { schedule: `{ every: '1s' }`, run: '' }),
    }),
    /10s|10 s|seconds/,
  ],
  [
    'with a time zone that is not on this planet',
    workflowSource({
      name: 'mars',
      producers: producer('p', {
        schedule: `{ cron: '0 9 * * *', timezone: 'Mars/Olympus' }`,
        run: '',
      }),
    }),
    /Mars/,
  ],
  ['that imports another package', `import 'node:fs';\nexport default {};`, /node:fs|import/],
] as const) {
  scenario(`a workflow file ${what} is refused with the reason`, async (w) => {
    const host = await w.host();
    const message = await host.refuses('add', w.write(source));
    expectText('the message', message, said);
  });
}

scenario('a file that is not there is refused by its path', async (w) => {
  const host = await w.host();
  expectText('the message', await host.refuses('add', '/nowhere/at/all.ts'), '/nowhere/at/all.ts');
});

scenario('state that is too large is refused, and the state before stays', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const counting = (next: string): Promise<string> =>
    w.filingSource({
      prepare: `
        const [event] = await ctx.peek('in', { limit: 1 });
        if (!event) return;
        return { reservations: [event], data: state?.size ?? 'nothing' };`,
      next,
    });
  const invoices = await w.add(host, await counting(`return { size: 'small' };`));
  await invoices.publish('1', 1);
  await invoices.untilCommitted(1);
  await invoices.change(await counting(`return { size: 'x'.repeat(400_000) };`));
  await invoices.publish('2', 2);
  await invoices.untilRuns('its next step failed', (runs) =>
    runs.some(({ phase, error }) => phase === 'suspended' && error !== null),
  );
  await invoices.change(await counting(`return { size: 'again' };`));
  await host.says('resume', invoices.id);
  await invoices.untilCommitted(2);
  expectSame('what they saw', outside.bodies(), ['nothing', 'small']);
});

scenario('a run that reserves an event of somebody else is refused', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const other = await w.filing(host, { base: 'other' });
  await host.says('pause', other.id);
  const { eventId } = await other.publish('o-1', 1);
  const thief = await w.filing(host, {
    base: 'thief',
    prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (event) return { reservations: ['${eventId}'], data: 'stolen' };`,
  });
  await thief.publish('t-1', 1);
  await thief.untilRuns('it failed', (runs) => runs.some(({ phase }) => phase === 'failed'));
  expectSame('what was filed', outside.count(), 0);
  expectSame(
    'the event of the other',
    (await other.events()).map(({ status }) => status),
    ['pending'],
  );
});

scenario(
  'a call with parameters that its tool does not know is refused by the field',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host(), {
      mutate: `await ctx.tools.http.post({ url: '${outside.url}/file', jsonn: 1 });`,
    });
    await invoices.publish('i-1', 1);
    const runs = await invoices.untilRuns('it failed', (all) =>
      all.some(({ phase }) => phase === 'failed'),
    );
    expectText('the error', runs.at(-1)?.error ?? '', 'jsonn');
    expectSame('what was filed', outside.count(), 0);
  },
);

/** fetch() sets Host and Origin itself, so this doesn't use it. */
async function statusOf(host: Host, headers: { [name: string]: string }): Promise<number> {
  const { status } = await raw(host, '/api/call/host.info', {
    Authorization: `Bearer ${host.token}`,
    'Content-Type': 'application/json',
    ...headers,
  });
  return status;
}

/** With headers it is a POST. */
function raw(
  host: Host,
  path: string,
  headers?: { [name: string]: string },
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(host.url);
  const method = headers ? 'POST' : 'GET';
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path, method, headers: headers ?? {}, agent: false },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(headers ? '{}' : undefined);
  });
}
