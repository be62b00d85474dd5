// The command line: sentences, exit codes and numbers that are so.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expectRefused, holdfast } from '#test/blackbox/harness/command.ts';
import { expectNoText, expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import type { Answer } from '#test/blackbox/harness/host.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, workflowSource } from '#test/blackbox/harness/source.ts';

export const messages = theme('messages');
const { scenario } = messages;

scenario('a command that does not exist is refused in a sentence', async () => {
  const ended = await holdfast(['polish']);
  expectText('the message', expectRefused(['polish'], ended), 'polish');
});

scenario('a command without its argument says which one', async () => {
  const ended = await holdfast(['publish']);
  expectText('the message', expectRefused(['publish'], ended), 'workflow');
});

scenario('the help names every command that settles something', async () => {
  const { code, stdout } = await holdfast(['--help']);
  expectSame('its exit code', code, 0);
  for (const command of ['inbox', 'resolve', 'answer', 'rerun', 'grant', 'acknowledge']) {
    expectText('the help', stdout, command);
  }
});

scenario('an empty folder is healthy and says what to do next', async (w) => {
  const host = w.unstartedHost();
  expectText('holdfast list', await host.says('list'), 'holdfast add');
  expectThat('holdfast inbox says something', (await host.says('inbox')).length > 5, '');
  const { code } = await host.cli('doctor');
  expectSame('the doctor’s exit code', code, 0);
});

scenario('a workflow that is not there is named, with the command that lists them', async (w) => {
  const host = await w.host();
  const message = await host.refuses('pause', 'no-such-workflow');
  expectText('the message', message, 'no-such-workflow');
  expectText('the message', message, 'holdfast list');
});

scenario('a beginning of an id that fits two workflows is not guessed', async (w) => {
  const host = await w.host();
  await w.filing(host, { base: 'one' });
  await w.filing(host, { base: 'two' });
  await host.refuses('pause', '');
});

scenario('a payload that is not JSON is refused before anything is published', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  expectText('the message', await host.refuses('publish', invoices.id, 'in', '{not json'), /JSON/);
  expectSame('events', await invoices.events(), []);
});

scenario(
  'a topic that is not there is refused, and the ones that are there are named',
  async (w) => {
    const host = await w.host();
    const invoices = await w.filing(host, { topics: ['in', 'archive'] });
    const message = await host.refuses('publish', invoices.id, 'inn', '1');
    expectText('the message', message, 'inn');
  },
);

scenario('a run, an input or an effect that is not there is refused in a sentence', async (w) => {
  const host = await w.host();
  await host.refuses('show', 'nothing-like-this');
  await host.refuses('resolve', 'nothing-like-this', '--as', 'happened');
  await host.refuses('rerun', 'nothing-like-this');
  await host.refuses('answer', 'nothing-like-this', 'yes');
  await host.refuses('acknowledge', 'nothing-like-this');
});

scenario('every list can be read by a program', async (w) => {
  const host = await w.host();
  for (const command of [
    ['list'],
    ['inbox'],
    ['runs'],
    ['inputs'],
    ['devices'],
    ['jobs'],
    ['grants'],
    ['hook', 'list'],
    ['doctor'],
  ]) {
    const { stdout } = await host.cli(...command, '--json');
    expectThat(
      `holdfast ${command.join(' ')} --json is JSON`,
      typeof JSON.parse(stdout) === 'object',
      stdout.slice(0, 200),
    );
  }
});

scenario('a port that is taken is named', async (w) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  w.onEnd(() => server.close());
  const port = String((server.address() as AddressInfo).port);
  const host = w.unstartedHost();
  expectText('the message', await host.refuses('serve', '--port', port), port);
});

scenario('a host that gets SIGTERM exits with 0 and leaves the folder free', async (w) => {
  const host = await w.ownHost();
  expectSame('its exit code', await host.stop(), 0);
  await host.start();
});

scenario(
  'an event that I publish without a host waits for one',
  async (w) => {
    const outside = await w.outside();
    const host = w.unstartedHost();
    await host.says('add', w.write(await w.filingSource()));
    const said = await host.says('publish', w.name('invoices'), 'in', '1');
    expectText('it says that it waits', said, 'holdfast serve');
    expectSame('what was filed', outside.count(), 0);
    await host.start();
    const invoices = await w.known(host, w.name('invoices'));
    await invoices.untilCommitted(1);
    expectSame('what was filed then', outside.count(), 1);
  },
  { quick: true },
);

scenario('a new API token makes the old one useless at once', async (w) => {
  const host = await w.ownHost();
  const old = host.token;
  await host.says('token', 'rotate');
  const { status } = await host.send('/api/call/host.info', '{}', {
    Authorization: `Bearer ${old}`,
  });
  expectSame('with the old one', status, 401);
  await host.says('list');
});

scenario('a title full of terminal codes cannot move my cursor', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  await host.call('events.publish', {
    workflowId: invoices.id,
    topic: 'in',
    messageId: 'evil',
    title: '\u001b[2J\u001b[1;1Hgone\u0007',
    payload: 1,
  });
  const [run] = await invoices.untilCommitted(1);
  const shown = (await host.says('runs', invoices.id)) + (await host.says('show', run?.id ?? ''));
  expectNoText('what is printed', shown.replaceAll('\n', ''), /\p{Cc}/u);
});

scenario('validating a file that uses an unknown tool names the tool', async (w) => {
  const file = w.write(
    workflowSource({
      name: w.name('odd'),
      uses: '{ telepathy: {} }',
      consumers: consumer('c', { mutate: 'await ctx.tools.telepathy.send({});' }),
    }),
  );
  const { code, text } = await holdfast(['validate', file]);
  expectText('the message', text, 'telepathy');
  expectSame('its exit code', code, 1);
});

scenario(
  'validating a producer that publishes without saying so names what is missing',
  async (w) => {
    const file = w.write(
      workflowSource({
        name: w.name('odd'),
        producers: `p: {
        schedule: { every: '1d' },
        async run(ctx) { await ctx.publish('in', { id: 'a', title: 'a' }); },
      }`,
        consumers: consumer('c', {}),
      }),
    );
    expectText('what it says', (await holdfast(['validate', file])).text, 'publishes');
  },
);

scenario('validating a consumer that says it publishes and never can names it', async (w) => {
  const file = w.write(
    workflowSource({
      name: w.name('odd'),
      topics: ['in', 'out'],
      consumers: consumer('c', { publishes: ['out'] }) + consumer('d', { topic: 'out' }),
    }),
  );
  expectText('what it says', (await holdfast(['validate', file])).text, /publishes|next/);
});

scenario('validate takes --data like every other command', async (w) => {
  const file = w.write(await w.filingSource());
  const host = w.unstartedHost();
  await host.says('validate', file);
});

scenario('a validated file names line and column of each problem', async (w) => {
  const file = w.write(
    `import { workflow } from 'holdfast';\nexport default workflow({ name: 7 });\n`,
  );
  const { code, text } = await holdfast(['validate', file]);
  expectSame('its exit code', code, 1);
  expectText('the message', text, /:\d+:\d+: /);
});

scenario('a step that calls itself without end gets an error of a few lines', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host, {
    prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (!event) return;
      const again = () => again() + 1;
      return { data: again() };`,
  });
  await invoices.publish('i-1', 1);
  const runs = await invoices.untilRuns('it failed', (all) =>
    all.some(({ phase }) => phase === 'failed'),
  );
  const error = runs.find(({ phase }) => phase === 'failed')?.error ?? '';
  const frames = error.split('\n').filter((line) => /^\s+at /.test(line));
  expectSame('equal lines', frames.length - new Set(frames).size, 0);
});

scenario(
  'an error names the line of my own file',
  async (w) => {
    const host = await w.host();
    const source = await w.filingSource({
      prepare: `
      const [event] = await ctx.peek('in', { limit: 1 });
      if (event) throw new TypeError('no amount');`,
    });
    const line = source.split('\n').findIndex((text) => text.includes('no amount')) + 1;
    const invoices = await w.add(host, source);
    await invoices.publish('i-1', 1);
    const runs = await invoices.untilRuns('it failed', (all) =>
      all.some(({ phase }) => phase === 'failed'),
    );
    expectText('the error', runs[0]?.error ?? '', new RegExp(`no amount[\\s\\S]*\\.ts:${line}:`));
  },
  { quick: true },
);

for (const [what, thrown] of [
  ['a text', `'out of stamps'`],
  ['nothing', 'null'],
  ['an object', `{ code: 'out of stamps' }`],
] as const) {
  scenario(`a step that throws ${what} says what it threw`, async (w) => {
    const invoices = await w.filing(await w.host(), {
      prepare: `
        const [event] = await ctx.peek('in', { limit: 1 });
        if (event) throw ${thrown};`,
    });
    await invoices.publish('i-1', 1);
    const runs = await invoices.untilRuns('it failed', (all) =>
      all.some(({ phase }) => phase === 'failed'),
    );
    const error = runs.at(-1)?.error ?? '';
    expectText('the error', error, thrown === 'null' ? 'null' : 'out of stamps');
    await invoices.untilItem('set_aside');
  });
}

scenario('a log that says "started" after "failed" is not accepted', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  const { run } = await host.call<{ run: { id: string } }>('runs.start', {
    workflowId: invoices.id,
    startRequestId: randomUUID(),
  });
  const info = await host.call<{ spaceId: string }>('host.info', {});
  const append = (eventType: string): Promise<Answer> =>
    host.ask('runs.appendEvent', logEvent(run.id, invoices.id, info.spaceId, eventType));
  const failed = await append('run.failed');
  expectThat('"failed" is accepted', failed.ok, failed);
  const started = await append('run.started');
  expectThat('"started" after it is not', !started.ok, started);
});

scenario('metrics are there for a monitor that has the token', async (w) => {
  const host = await w.host();
  const get = (headers: { [name: string]: string }): Promise<Response> =>
    fetch(`${host.url}/metrics`, { headers });
  expectSame('without a token', (await get({})).status, 401);
  const answer = await get({ Authorization: `Bearer ${host.token}` });
  expectSame('with it', answer.status, 200);
  expectText('its text', await answer.text(), /^# TYPE holdfast_/m);
});

scenario('the doctor says nothing is wrong only if it looked', async (w) => {
  const host = await w.host();
  const { code, stdout } = await host.cli('doctor', '--json');
  expectSame('its exit code', code, 0);
  expectNoText('its findings', stdout, /"state": "wrong"/);
  expectText('it looked at the database', stdout, 'database');
});

scenario('a producer that publishes to a topic it did not name is stopped', async (w) => {
  const host = await w.host();
  const odd = await w.filing(host, {
    base: 'odd',
    topics: ['in', 'other'],
    producers: producer('p', { run: `await ctx.publish('other', { id: 'a', title: 'a' });` }),
  });
  await host.says('run', odd.id, 'p');
  const runs = await odd.untilRuns('it failed', (all) =>
    all.some(({ phase }) => phase === 'failed'),
  );
  expectText('the error', runs[0]?.error ?? '', 'other');
  expectSame('events', await odd.events('other'), []);
});

/** An entry for the log of a session, as spec 001 has it. */
function logEvent(runId: string, workflowId: string, spaceId: string, eventType: string): object {
  const plan = { planId: 'plan', planVersion: '1' };
  const key = [runId, '', 1, eventType, plan.planId, plan.planVersion].join('|');
  return {
    eventId: randomUUID(),
    eventType,
    emittedAt: new Date().toISOString(),
    runId,
    tenantId: spaceId,
    projectId: workflowId,
    environmentId: 'draft',
    ...plan,
    engineAttemptId: 1,
    logicalAttemptId: 1,
    idempotencyKey: createHash('sha256').update(key).digest('hex'),
  };
}
