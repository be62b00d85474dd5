// Changed files: drafts, activation, and what a new version leaves behind.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { holdfast } from '#test/blackbox/harness/command.ts';
import { expectSame, expectText, expectThat } from '#test/blackbox/harness/expect.ts';
import { theme } from '#test/blackbox/harness/scenario.ts';
import { consumer, producer, workflowSource } from '#test/blackbox/harness/source.ts';

export const versions = theme('versions');
const { scenario } = versions;

scenario(
  'a changed file runs only after I activate it',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host, { mutate: posting(outside.url, `'old'`) });
    invoices.save(await w.filingSource({ mutate: posting(outside.url, `'new'`) }));
    await host.says('add', invoices.file);
    await invoices.publish('i-1', 1);
    await invoices.untilCommitted(1);
    await host.says('activate', invoices.name);
    await invoices.publish('i-2', 2);
    await invoices.untilCommitted(2);
    expectSame('what was filed', outside.bodies(), ['old', 'new']);
  },
  { quick: true },
);

scenario('a saved file is noticed without adding it again', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host(), { mutate: posting(outside.url, `'old'`) });
  invoices.save(await w.filingSource({ mutate: posting(outside.url, `'new'`) }));
  await invoices.untilView('there is a draft', ({ draftScriptId }) => draftScriptId !== null);
  expectText('holdfast list', await invoices.listed(), /draft/);
});

scenario(
  'a broken file leaves the version that runs alone',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host);
    invoices.save(`export default {{{`);
    const message = await host.refuses('add', invoices.file);
    expectText('it says where', message, /:1:\d+/);
    await invoices.publish('i-1', 1);
    await invoices.untilCommitted(1);
    expectSame('what was filed', outside.bodies(), [1]);
  },
  { quick: true },
);

scenario('activating without a change says that there is nothing to activate', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  await host.refuses('activate', invoices.name);
});

scenario('the same file added twice is one workflow', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  await host.says('add', invoices.file);
  const named = (await host.workflows()).filter(({ name }) => name === invoices.name);
  expectSame('workflows of that name', named.length, 1);
});

scenario('waiting events are handled by the new version', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const invoices = await w.filing(host, { mutate: posting(outside.url, `'old'`) });
  await host.says('pause', invoices.id);
  await invoices.publish('i-1', 1);
  await invoices.change(await w.filingSource({ mutate: posting(outside.url, `'new'`) }));
  await host.says('resume', invoices.id);
  await invoices.untilCommitted(1);
  expectSame('what was filed', outside.bodies(), ['new']);
});

scenario('a run under way ends with the version it began with', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const invoices = await w.filing(host, { next: `console.log('old next');` });
  const filing = outside.hold('/file');
  await invoices.publish('i-1', 1);
  await filing.arrived;
  invoices.save(await w.filingSource({ next: `console.log('new next');` }));
  await host.says('add', invoices.file);
  const activated = host.says('activate', invoices.name);
  filing.release();
  await activated;
  const [run] = await invoices.untilCommitted(1);
  const { logs } = await invoices.run(run?.id ?? '');
  expectSame(
    'what it printed',
    logs.map(({ text }) => text),
    ['old next'],
  );
});

scenario(
  'a fixed version is used at once, not after the old one’s waiting time',
  async (w) => {
    const outside = await w.outside();
    const invoices = await w.filing(await w.host(), {
      prepare: `
        const [event] = await ctx.peek('in', { limit: 1 });
        if (!event) return;
        await ctx.tools.http.get({ url: '${outside.url}/old-address' });`,
    });
    const down = { status: 503 };
    outside.script('/old-address', down, down, down, down, down, down, down, down);
    await invoices.publish('i-1', 1);
    await w.until(
      'four tries failed, so that the next one is eight seconds away',
      () => outside.reads.length,
      (tries) => tries >= 4,
    );
    await invoices.change(await w.filingSource());
    const from = Date.now();
    await invoices.untilCommitted(1);
    const waited = Date.now() - from;
    expectThat('it did not wait', waited < 2500, `${waited} ms`);
  },
  { patient: true },
);

scenario(
  'a handler that the new version no longer has is asked about before activation',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host, { next: `throw new Error('no stamp');` });
    await invoices.publish('i-1', 1);
    await invoices.untilRuns('the next step failed', (runs) =>
      runs.some(({ effect, phase }) => effect === 'applied' && phase === 'suspended'),
    );
    invoices.save((await w.filingSource()).replace('file: {', 'book: {'));
    await host.says('add', invoices.file);
    const { text } = await host.cli('activate', invoices.id);
    expectText('activation names what it leaves behind', text, /\bfile\b/);
    expectSame('invoices filed', outside.count(), 1);
  },
);

scenario('a run whose handler is gone is shown, not called committed', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host, { next: `throw new Error('no stamp');` });
  await invoices.publish('i-1', 1);
  const runs = await invoices.untilRuns('the next step failed', (all) =>
    all.some(({ effect, phase }) => effect === 'applied' && phase === 'suspended'),
  );
  invoices.save((await w.filingSource()).replace('file: {', 'book: {'));
  await host.says('add', invoices.file);
  await host.cli('activate', invoices.id, '--yes');
  await host.cli('activate', invoices.id);
  await host.cli('resume', invoices.id);
  await invoices.publish('i-2', 2);
  await w.until(
    'the new version runs, or activation waits for me',
    async () => ({ view: await invoices.view(), runs: await invoices.runs() }),
    (seen) =>
      seen.view.draftScriptId !== null ||
      seen.runs.some(({ handlerName, phase }) => handlerName === 'book' && phase === 'committed'),
  );
  const { phase } = await invoices.run(runs[0]?.id ?? '');
  expectThat('its run is not called committed', phase !== 'committed', phase);
});

scenario('a topic that the new version drops is asked about while events wait in it', async (w) => {
  const host = await w.host();
  const letters = await w.filing(host, {
    base: 'letters',
    topics: ['in', 'parcels'],
    more: consumer('unpack', { topic: 'parcels' }),
  });
  await host.says('pause', letters.id);
  await letters.publish('l-1', 1, 'parcels');
  letters.save(await w.filingSource({ base: 'letters' }));
  await host.says('add', letters.file);
  const { text } = await host.cli('activate', letters.id);
  expectText('activation names the topic', text, /parcels/);
});

scenario('events of a dropped topic stay visible', async (w) => {
  const host = await w.host();
  const letters = await w.filing(host, {
    base: 'letters',
    topics: ['in', 'parcels'],
    more: consumer('unpack', { topic: 'parcels' }),
  });
  await host.says('pause', letters.id);
  await letters.publish('l-1', 1, 'parcels');
  letters.save(await w.filingSource({ base: 'letters' }));
  await host.says('add', letters.file);
  await host.cli('activate', letters.id, '--yes');
  await host.cli('activate', letters.id);
  const seen = (await letters.listed()) + JSON.stringify(await letters.inbox());
  expectText('list or inbox', seen, 'parcels');
});

scenario(
  'a renamed file is not silently a second workflow of the same name',
  async (w) => {
    const outside = await w.outside();
    const host = await w.host();
    const invoices = await w.filing(host, {
      producers: producer('daily', {
        schedule: `{ every: '1d' }`,
        run: `await ctx.publish('in', { id: 'today', title: 'today', payload: 'today' });`,
      }),
    });
    await invoices.untilCommitted(1, 'file');
    const renamed = join(w.folder(), 'renamed.ts');
    renameSync(invoices.file, renamed);
    const { text } = await host.cli('add', renamed);
    expectText('it says that there is one of this name', text, /same name|already|renamed|moved/i);
    await w.until(
      'nothing is running or pending',
      async () => (await host.workflows()).filter(({ name }) => name === invoices.name),
      (all) =>
        all.every(({ isBusy, topics }) => !isBusy && topics.every(({ pending }) => pending === 0)),
    );
    expectSame('what was filed', outside.count(), 1);
  },
  { quick: true },
);

scenario('a removed file does not end its workflow', async (w) => {
  const outside = await w.outside();
  const invoices = await w.filing(await w.host());
  rmSync(invoices.file);
  await invoices.publish('i-1', 1);
  await invoices.untilCommitted(1);
  expectSame('what was filed', outside.count(), 1);
});

scenario('trying a file sends nothing and leaves nothing behind', async (w) => {
  const outside = await w.outside();
  const file = w.write(await w.filingSource());
  const tried = await holdfast(['try', file, '--event', 'in={"n":1}']);
  expectSame('its exit code', tried.code, 0);
  expectText('it says what it would have sent', tried.stdout, '/file');
  expectSame('what the service got', outside.count(), 0);
  const named = (await (await w.host()).workflows()).filter(
    ({ name }) => name === w.name('invoices'),
  );
  expectSame('workflows of that name', named, []);
});

scenario('every version that I added can be read again', async (w) => {
  const host = await w.host();
  const invoices = await w.filing(host);
  await invoices.change(await w.filingSource({ next: `console.log('second');` }));
  const { versions: all } = await host.call<{ versions: { id: string; isActive: boolean }[] }>(
    'workflows.versions',
    { workflowId: invoices.id },
  );
  expectSame(
    'versions, the newest first, and which one runs',
    all.map(({ isActive }) => isActive),
    [true, false],
  );
});

scenario('state that a workflow saved is there for the next version', async (w) => {
  const outside = await w.outside();
  const host = await w.host();
  const counting = (word: string): string => `
    const [event] = await ctx.peek('in', { limit: 1 });
    if (!event) return;
    return { reservations: [event], data: '${word} ' + (state?.n ?? 0) };`;
  const next = `return { n: Number(prepared.data.split(' ')[1]) + 1 };`;
  const counter = await w.filing(host, { base: 'counter', prepare: counting('first'), next });
  await counter.publish('1', 1);
  await counter.untilCommitted(1);
  await counter.change(
    await w.filingSource({ base: 'counter', prepare: counting('second'), next }),
  );
  await counter.publish('2', 2);
  await counter.untilCommitted(2);
  expectSame('what was filed', outside.bodies(), ['first 0', 'second 1']);
});

scenario('a workflow without any handler is refused', async (w) => {
  const file = w.write(workflowSource({ name: w.name('empty') }));
  await (await w.host()).refuses('add', file);
});

function posting(url: string, body: string): string {
  return `await ctx.tools.http.post({ url: '${url}/file', json: ${body} });`;
}
