// `ctx.artifacts`: what handlers read and write, and what a crash or a retry leaves.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ArtifactLibrary } from '#main/inputs/artifact-library.ts';
import { artifactsOf } from '#main/input-lifecycle/input-artifacts.ts';
import { automationRunId } from '#shared/ids.ts';
import type { Artifact } from '#shared/inputs/artifacts.ts';
import type { Json } from '#shared/json.ts';
import { MAX_ARTIFACT_WRITES } from '#shared/limits.ts';
import { eventually } from '#test/support/eventually.ts';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

/** Runs the code of the payload in `next`. */
const workflowOf = (next: string, prepare = 'null'): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Keeper', topics: ['in', 'more'], uses: { outside: {} },
  consumers: {
    keep: {
      subscribes: 'in', publishes: ['more'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: ${prepare} } : {};
      },
      async mutate(ctx) { await ctx.tools.outside.post({}); },
      async next(ctx, prepared, outcome) { const [event] = prepared.reservations; ${next} },
    },
    read: {
      subscribes: 'more',
      async prepare(ctx) {
        const [event] = await ctx.peek('more', { limit: 1 });
        if (!event) return {};
        const list = await ctx.artifacts.list(event);
        const read = [];
        for (const { name } of list) read.push(await ctx.artifacts.read(event, name));
        return { reservations: [event], data: { list, read, none: await ctx.artifacts.read(event.id, 'none') } };
      },
      async next(ctx, { data }) { await ctx.complete(data); },
    },
  },
});`;

const MORE = `await ctx.publish('more', { id: event.id, title: 'More' });`;

interface Test extends InputsUnderTest {
  readonly workflowId: string;
}

async function start(source: string, under?: EngineUnderTest): Promise<Test> {
  const inputs = startInputs(under ? { under } : {});
  return { ...inputs, workflowId: await inputs.under.add(source) };
}

const attached = (under: EngineUnderTest, inputId: string): readonly Artifact[] =>
  artifactsOf(under.store, automationRunId(inputId)).filter(({ maker }) => maker === 'handler');

const textOf = async ({ under }: Test, artifact: Artifact | undefined): Promise<string> =>
  Buffer.from((await under.files.get(artifact?.sha256 ?? '')) ?? []).toString('utf8');

const errorOf = ({ under, workflowId }: Test): unknown =>
  (under.runs(workflowId).at(-1)?.state as { error?: string } | undefined)?.error;

describe('artifacts of handlers', () => {
  it('[AF-7] next() attaches text, JSON and bytes to the input; a later prepare() reads them', async () => {
    const test = await start(
      workflowOf(`
        const a = await ctx.artifacts.write({ name: 'note.txt', text: 'grüße' });
        if (a.bytes !== 7 || a.inputs !== 1) throw new Error(JSON.stringify(a));
        await ctx.artifacts.write({ name: 'order.json', json: { b: 1, a: [2] } });
        await ctx.artifacts.write({ name: 'pixel.png', type: 'image/png', base64: '/9j/' });
        ${MORE}`),
    );
    const inputId = await test.start(test.workflowId, { secret: 1 });
    const [note, order, pixel] = attached(test.under, inputId);
    expect([note, order, pixel]).toMatchObject([
      { name: 'note.txt', type: 'text/plain', bytes: 7 },
      { name: 'order.json', type: 'application/json', bytes: 15 },
      { name: 'pixel.png', type: 'image/png', bytes: 3 },
    ]);
    expect(await textOf(test, order)).toBe('{"a":[2],"b":1}');
    const { list, read, none } = test.under.store.automationRuns.completion(
      automationRunId(inputId),
    ) as { list: { name: string }[]; read: { [key: string]: Json }[]; none: null };
    expect(none).toBe(null);
    expect(list.map(({ name }) => name)).toEqual([
      'payload.json',
      'policy.json',
      'sources.json',
      'note.txt',
      'order.json',
      'pixel.png',
    ]);
    expect(read[0]).toMatchObject({ json: { value: { secret: expect.anything() } } });
    expect(read[3]).toMatchObject({ text: 'grüße' });
    expect(read[4]).toMatchObject({ text: '{"a":[2],"b":1}', json: { a: [2], b: 1 } });
    expect(read[5]).toMatchObject({ base64: '/9j/' });
    expect(read[5]).not.toHaveProperty('text');
  });

  it('[AF-8] a run that fails leaves no artifact, and a run that is repeated after a crash attaches one', async () => {
    const test = await start(
      workflowOf(`await ctx.artifacts.write({ name: 'receipt.txt', text: 'paid' }); ${MORE}`),
    );
    test.under.dieAt('commit:before');
    const inputId = test.put(test.workflowId);
    await eventually(() => expect(test.under.store.db.isOpen).toBe(false));
    const again = test.under.crash();
    expect(attached(again, inputId)).toEqual([]);
    const next = startInputs({ under: again });
    await next.idle();
    expect(attached(again, inputId).map(({ name }) => name)).toEqual(['receipt.txt']);
    expect(again.outside.arrived.length).toBe(1);

    const failing = await start(
      workflowOf(`await ctx.artifacts.write({ name: 'a.txt', text: 'a' }); throw new Error('no');`),
    );
    const failed = await failing.start(failing.workflowId);
    expect(attached(failing.under, failed)).toEqual([]);
  });

  it('[AF-8] equal content is one file, and a rerun attaches a second artifact of the name, which counts', async () => {
    const test = await start(
      workflowOf(
        `const seen = await ctx.artifacts.read(event, 'n.txt');
         await ctx.artifacts.write({ name: 'n.txt', text: 'v' + event.attempt }); ${MORE}
         return { seen: seen?.text ?? null };`,
      ),
    );
    const inputId = await test.start(test.workflowId);
    const [event] = test.under.store.inputChain.eventIds(inputId, 1);
    for (const seen of ['v1', 'v2']) {
      await test.pass(1);
      test.under.engine.commands.rerunEvent(event ?? '');
      await test.idle();
      const { state } = test.under.store.handlerState.get(test.workflowId, 'keep') ?? {};
      expect(state).toEqual({ seen });
    }
    const all = attached(test.under, inputId);
    expect(await Promise.all(all.map((one) => textOf(test, one)))).toEqual(['v1', 'v2', 'v3']);
    const same = await start(
      workflowOf(`
        await ctx.artifacts.write({ name: 'a.txt', text: 'same' });
        await ctx.artifacts.write({ name: 'b.txt', text: 'same' });`),
    );
    const id = await same.start(same.workflowId);
    const refs = attached(same.under, id).map(({ sha256 }) => sha256);
    expect(refs.length).toBe(2);
    expect(new Set(refs).size).toBe(1);
    const { folder } = same.artifacts;
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile() && readFileSync(path, 'utf8') === 'same');
    expect(files.length).toBe(1);
  });

  it.each([
    ['a name with a slash', `{ name: '../x', text: 'a' }`, 'plain file name'],
    ['a name of Holdfast', `{ name: 'policy.json', text: 'a' }`, 'Holdfast makes these itself'],
    ['no content', `{ name: 'a' }`, 'one of text, json and base64'],
    ['two contents', `{ name: 'a', text: 'a', json: 1 }`, 'one of text, json and base64'],
    ['bytes that are not base64', `{ name: 'a', base64: '***' }`, 'must be base64'],
    ['a false type', `{ name: 'a', text: 'a', type: 'x' }`, 'media type'],
    ['an input', `{ name: 'a', text: 'a', input: 'i' }`, 'Only a producer'],
    ['too many bytes', `{ name: 'a', text: 'é'.repeat(524300) }`, 'at most 1048576 are allowed'],
  ])('[AF-9] %s is refused with a sentence, and nothing is attached', async (_what, given, why) => {
    const test = await start(workflowOf(`await ctx.artifacts.write(${given});`));
    const inputId = await test.start(test.workflowId);
    expect(errorOf(test)).toContain(why);
    expect(attached(test.under, inputId)).toEqual([]);
  });

  it('[AF-9] a name twice and more artifacts than the limit are refused', async () => {
    const twice = await start(
      workflowOf(`
        await ctx.artifacts.write({ name: 'a', text: 'a' });
        await ctx.artifacts.write({ name: 'a', text: 'b' });`),
    );
    await twice.start(twice.workflowId);
    expect(errorOf(twice)).toContain('has written an artifact "a" already');
    const many = await start(
      workflowOf(`for (let n = 0; n < 1000; n += 1)
        await ctx.artifacts.write({ name: 'a' + n, text: 'a' });`),
    );
    await many.start(many.workflowId);
    expect(errorOf(many)).toContain(`at most ${MAX_ARTIFACT_WRITES} artifacts`);
  });

  it('[AF-9] prepare() and mutate() can not write, and nobody reads behind an event of another workflow', async () => {
    const inPrepare = await start(
      workflowOf('', `await ctx.artifacts.write({ name: 'a', text: 'a' })`),
    );
    await inPrepare.start(inPrepare.workflowId);
    expect(errorOf(inPrepare)).toContain("prepare() can't call ctx.artifacts.write");
    const [foreign = ''] = inPrepare.under.store.events.unfinished(inPrepare.workflowId);
    for (const eventId of [foreign, 'nothing']) {
      const read = workflowOf(`await ctx.artifacts.read('${eventId}', 'payload.json');`);
      const workflowId = await inPrepare.under.add(read.replace('Keeper', eventId), eventId);
      await inPrepare.start(workflowId);
      expect(errorOf({ ...inPrepare, workflowId })).toContain(
        `This workflow has no event "${eventId}"`,
      );
    }
  });

  it('[AF-7] an artifact of a run that took events of two inputs is attached to both', async () => {
    const source = workflowOf(`await ctx.artifacts.write({ name: 'a.txt', text: 'a' });`);
    const test = await start(
      source
        .replace(`[event] = await ctx.peek('in', { limit: 1 })`, `all = await ctx.peek('in')`)
        .replace('event ? { reservations: [event]', 'all.length > 0 ? { reservations: all'),
    );
    test.under.engine.commands.pause(test.workflowId, '');
    const ids = [await test.start(test.workflowId), await test.start(test.workflowId)];
    test.under.engine.commands.resume(test.workflowId);
    await test.idle();
    expect(test.under.runs(test.workflowId).length).toBe(1);
    for (const id of ids) {
      expect(attached(test.under, id).map(({ name }) => name)).toEqual(['a.txt']);
    }
  });

  it('[AF-7] a producer attaches an artifact to an input that it registers, and to no other', async () => {
    const source = (input: string): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Finder', topics: ['found'],
  producers: { look: {
    schedule: { every: '1h' }, publishes: ['found'],
    async run(ctx) {
      const found = await ctx.registerInput({ source: 'box', type: 'mail', id: 'a', title: 'A' });
      await ctx.artifacts.write({ name: 'mail.eml', text: 'hello', input: ${input} });
      await ctx.publish('found', { id: 'a', title: 'A', input: found.id });
    },
  } },
});`;
    const test = await start(source('found.id'));
    await test.idle();
    const [run] = test.under.store.automationRuns.list({ limit: 5 }).runs;
    expect(attached(test.under, run?.inputId ?? '')).toMatchObject([
      { name: 'mail.eml', bytes: 5 },
    ]);
    for (const [input, why] of [
      [`'foreign'`, `didn't register the input "foreign"`],
      ['undefined', 'needs the id that ctx.registerInput() returned'],
    ] as const) {
      const wrong = await start(source(input));
      await wrong.idle();
      expect(errorOf(wrong)).toContain(why);
      expect(wrong.under.store.automationRuns.list({ limit: 5 }).runs).toEqual([]);
    }
  });

  it('[AF-7] an event that was published by hand belongs to no input, so nothing is attached', async () => {
    const under = startEngine();
    const workflowId = await under.add(
      workflowOf(`
        const { inputs } = await ctx.artifacts.write({ name: 'a', text: 'a' });
        return { inputs };`),
    );
    await under.publish(workflowId, 'in', 'm');
    expect(under.store.handlerState.get(workflowId, 'keep')?.state).toEqual({ inputs: 0 });
    expect(under.store.db.value('SELECT count(*) FROM artifacts')).toBe(0);
  });

  it('[AF-10] a paired device gets only content that a row of the run names', async () => {
    const test = await start(
      workflowOf(`await ctx.artifacts.write({ name: 'a.txt', text: 'shared' });`),
    );
    const inputId = await test.start(test.workflowId);
    const other = await test.start(test.workflowId);
    const runId = automationRunId(inputId);
    const [artifact] = attached(test.under, inputId);
    const { ref } = await test.artifacts.put(Buffer.from('of nobody'));
    const { artifacts } = test.under.engine.context;
    const library = artifacts as ArtifactLibrary;
    const content = await library.shared(runId, artifact?.sha256 ?? '');
    expect(Buffer.from(content ?? []).toString('utf8')).toBe('shared');
    expect(await library.shared(runId, ref)).toBe(undefined);
    expect(await library.shared('foreign', artifact?.sha256 ?? '')).toBe(undefined);
    const { enrichment = '' } = test.run(other).artifacts ?? {};
    expect(await library.shared(automationRunId(other), enrichment)).toBeDefined();
  });
});
