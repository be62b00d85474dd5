// The policy of an input: frozen before its runs, and enforced together with the grants of the moment.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Tools } from '#main/tools/check-call.ts';
import type { ReadOutcome } from '#main/tools/tool.ts';
import { automationRunId } from '#shared/ids.ts';
import { combinePolicies, CURRENT_LIMITS, freezePolicy } from '#shared/inputs/policy.ts';
import { freezeFlags } from '#shared/flags.ts';
import type { Json } from '#shared/json.ts';
import { ARTIFACT_GRACE_MS, RETRY_MAX_MS } from '#shared/limits.ts';
import { createOutside, type Outside } from '#test/support/fake-outside.ts';
import { eventually } from '#test/support/eventually.ts';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

const POSTS = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Posts', topics: ['in', 'out'], uses: { outside: { places: ['a'] } },
  consumers: { post: {
    subscribes: 'in', publishes: ['out'],
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      if (!event) return {};
      await ctx.tools.outside.get({ place: event.payload.read });
      return { reservations: [event], data: event.payload };
    },
    async mutate(ctx, { data }) { await ctx.tools.outside.post({ place: data.post }); },
    async next(ctx) { await ctx.publish('out', { id: ctx.runId, title: 'Done' }); },
  } },
});`;

interface Places {
  readonly places: string[];
}

/** The outside with a grant that lists places. */
function createPlaces(): Outside {
  const outside = createOutside({ canReconcile: false });
  const tool = outside.tools['outside'] as Tools[string];
  const check = (grant: unknown, params: unknown) =>
    (grant as Places).places.includes((params as { place: string }).place)
      ? null
      : ({
          errorType: 'permission',
          error: 'This place is not granted. Nothing was sent.',
        } as const);
  const methods = Object.fromEntries(
    Object.entries(tool.methods).map(([name, method]) => [name, { ...method, check }]),
  ) as Tools[string]['methods'];
  const narrow = (one: unknown, other: unknown): Json | null => {
    const places = (one as Places).places.filter((place) =>
      (other as Places).places.includes(place),
    );
    return places.length === 0 ? null : { places };
  };
  const grant = z.strictObject({ places: z.array(z.string()) });
  return Object.assign(outside, { tools: { outside: { ...tool, grant, narrow, methods } } });
}

interface UnderTest extends InputsUnderTest {
  readonly outside: Outside;
  readonly workflowId: string;
  grant(...places: string[]): void;
  states(): object[];
}

async function start(given?: EngineUnderTest): Promise<UnderTest> {
  const outside = given?.outside ?? createPlaces();
  const under = given ?? startEngine({ outside });
  const inputs = startInputs({ under });
  const workflowId = await under.add(POSTS);
  const grant = (...places: string[]): void =>
    under.store.grants.set(workflowId, 'outside', { places });
  const states = (): object[] => under.runs(workflowId).map(({ state }) => state);
  return { ...inputs, outside, workflowId, grant, states };
}

/** Holds the read of the next prepare(): meanwhile the policy is frozen and nothing was sent. */
function holdRead(outside: Outside): () => void {
  let release = (): void => undefined;
  const read = new Promise<ReadOutcome>((resolve) => {
    release = () => resolve({ type: 'ok', result: null });
  });
  outside.reads.push(read);
  return () => release();
}

const refOf = (under: EngineUnderTest, inputId: string): string | undefined =>
  under.store.automationRuns.artifacts(automationRunId(inputId)).policy;

async function held(from: UnderTest, payload: Json): Promise<{ inputId: string; go(): void }> {
  const go = holdRead(from.outside);
  const inputId = from.put(from.workflowId, payload);
  await eventually(() => expect(from.run(inputId).state.status).toBe('running'));
  return { inputId, go };
}

describe('the policy of an input', () => {
  it('[PO-1] is an artifact with grants, limits and flags, written before the first call', async () => {
    const { under, workflowId, artifacts, outside, ...test } = await start();
    let before: string | undefined;
    outside.answers.push(() => {
      before = refOf(under, inputId);
      return { type: 'applied', result: null };
    });
    const inputId = test.put(workflowId, { read: 'a', post: 'a' });
    await test.idle();
    expect(test.run(inputId).state.status).toBe('succeeded');
    const content = await artifacts.get(before ?? '');
    expect(JSON.parse(Buffer.from(content ?? []).toString('utf8'))).toMatchObject({
      version: 2,
      workflow: workflowId,
      device: under.store.context.deviceId,
      grants: { outside: { places: ['a'] } },
      flags: { sandboxPreview: false },
      limits: CURRENT_LIMITS,
    });
  });

  it('[PO-1] of an input whose event is taken before its enrichment is frozen by the run', async () => {
    const under = startEngine({ outside: createPlaces() });
    const workflowId = await under.add(POSTS);
    const inputId = publishUnder(under, workflowId, 'm1', { read: 'a', post: 'a' });
    expect(refOf(under, inputId)).toBe(undefined);
    under.engine.wake(workflowId);
    await under.idle();
    expect(under.outside.arrived.length).toBe(1);
    expect(await under.files.has(refOf(under, inputId) ?? '')).toBe(true);
  });

  it('[PO-1] [AF-4] is put on disk again when a sweep could have removed the same one of before', async () => {
    const { under, workflowId, artifacts, outside, ...test } = await start();
    const first = test.put(workflowId, { read: 'a', post: 'a' });
    await test.idle();
    const ref = refOf(under, first) ?? '';
    rmSync(join(artifacts.folder, ref.slice(0, 2), ref.slice(2)));
    await test.pass(ARTIFACT_GRACE_MS / 2);
    const second = test.put(workflowId, { read: 'a', post: 'a' });
    await test.idle();
    expect(refOf(under, second)).toBe(ref);
    expect(await artifacts.has(ref)).toBe(true);
    expect(outside.arrived).toHaveLength(2);
  });

  it('[PO-2] a grant that widens between freeze and call does not widen the effect of the input', async () => {
    const test = await start();
    const { inputId, go } = await held(test, { read: 'a', post: 'b' });
    test.grant('a', 'b');
    go();
    await test.idle();
    expect(test.outside.arrived).toEqual([]);
    expect(test.states()).toMatchObject([
      {
        phase: 'suspended',
        reason: 'approval',
        error: expect.stringContaining("policy of this input doesn't allow this outside.post"),
      },
    ]);
    expect(test.run(inputId).state.status).toBe('needs_human');
  });

  it('[PO-2] a grant that widens does not widen a read of prepare()', async () => {
    const test = await start();
    const { engine, store } = test.under;
    engine.commands.pause(test.workflowId, 'holiday');
    await test.start(test.workflowId, { read: 'b', post: 'a' });
    test.grant('a', 'b');
    let reads = 0;
    test.outside.reads.push(() => {
      reads += 1;
      return { type: 'ok', result: null };
    });
    // Not by a person, whose resume would freeze the policy again.
    store.workflows.setStatus(test.workflowId, 'active');
    engine.wake(test.workflowId);
    await test.idle();
    expect(reads).toBe(0);
    expect(test.states()).toMatchObject([
      {
        phase: 'suspended',
        reason: 'approval',
        error: expect.stringContaining("policy of this input doesn't allow this outside.get"),
      },
    ]);
    engine.commands.resume(test.workflowId);
    await test.idle();
    expect(reads).toBe(1);
    expect(test.outside.arrived.length).toBe(1);
  });

  it('[PO-2] a grant that is revoked between freeze and call takes effect at once', async () => {
    const test = await start();
    const { go } = await held(test, { read: 'a', post: 'a' });
    test.under.store.grants.remove(test.workflowId, 'outside');
    go();
    await test.idle();
    expect(test.outside.arrived).toEqual([]);
    expect(test.states()).toMatchObject([{ phase: 'suspended', reason: 'approval' }]);
  });

  it('[PO-2] a grant that is revoked while the effect is recorded is not used', async () => {
    const test = await start();
    const push = test.under.steps.push.bind(test.under.steps);
    test.under.steps.push = (...points) => {
      if (points.includes('in_flight:after')) {
        test.under.store.grants.remove(test.workflowId, 'outside');
      }
      return push(...points);
    };
    await test.start(test.workflowId, { read: 'a', post: 'a' });
    expect(test.under.steps).toContain('in_flight:after');
    expect(test.outside.arrived).toEqual([]);
    expect(test.states()).toMatchObject([{ phase: 'suspended', reason: 'approval' }]);
  });

  it('[PO-3] the first policy stays: a stage that is repeated after the grant widened does not replace it', async () => {
    const under = startEngine({ outside: createPlaces() });
    const workflowId = await under.add(POSTS);
    const inputId = publishUnder(under, workflowId, 'm1', { read: 'a', post: 'a' });
    const { policies } = under.engine.context;
    const input = under.store.triggerEvents.get(inputId);
    if (!input) throw new Error('The input is missing.');
    const first = await policies.freeze(input);
    policies.save(inputId, first);
    under.store.grants.set(workflowId, 'outside', { places: ['a', 'b'] });
    policies.save(inputId, await policies.freeze(input), {
      enrichment: 'e',
      bytes: { enrichment: 1 },
    });
    expect(under.store.automationRuns.artifacts(automationRunId(inputId))).toEqual({
      policy: first.ref,
      policy_by: under.store.context.deviceId,
      enrichment: 'e',
      bytes: { policy: first.bytes, enrichment: 1 },
    });
  });

  it('[PO-3] an automatic retry keeps the policy, and a resume freezes it again', async () => {
    const test = await start();
    const { inputId, go } = await held(test, { read: 'a', post: 'b' });
    const first = refOf(test.under, inputId);
    test.grant('a', 'b');
    go();
    await test.idle();
    expect(test.outside.arrived.length).toBe(0);
    expect(refOf(test.under, inputId)).toBe(first);
    test.under.engine.commands.resume(test.workflowId);
    await test.idle();
    expect(test.outside.arrived.length).toBe(1);
    const second = refOf(test.under, inputId);
    expect(second).not.toBe(first);
    const former = test.under.store.artifacts.ofRun(automationRunId(inputId), 10);
    expect(former).toMatchObject([{ name: 'policy.json', sha256: first, maker: 'stage' }]);
  });

  it('[PO-3] a retry after a failure without a resume stays within the first policy', async () => {
    const test = await start();
    test.outside.answers.push({ type: 'failed', errorType: 'network', error: 'no network' });
    const inputId = await test.start(test.workflowId, { read: 'a', post: 'a' });
    const first = refOf(test.under, inputId);
    test.grant('a', 'b');
    await test.pass(RETRY_MAX_MS);
    expect(test.outside.arrived.length).toBe(2);
    expect(refOf(test.under, inputId)).toBe(first);
  });

  it('[PO-3] a rerun of an event freezes the policy of its input again', async () => {
    const test = await start();
    const inputId = await test.start(test.workflowId, { read: 'a', post: 'a' });
    const first = refOf(test.under, inputId);
    test.grant('a', 'b');
    const [event] = test.under.store.inputChain.eventIds(inputId, 1);
    test.under.engine.commands.rerunEvent(event ?? '', { read: 'b', post: 'b' });
    await test.idle();
    expect(test.outside.arrived.map(({ params }) => params)).toEqual([
      { place: 'a' },
      { place: 'b' },
    ]);
    expect(refOf(test.under, inputId)).not.toBe(first);
  });

  it('[PO-4] a missing or damaged policy allows no call until a person resumes the workflow', async () => {
    for (const harm of ['missing', 'damaged'] as const) {
      const test = await start();
      test.outside.answers.push({ type: 'failed', errorType: 'network', error: 'no network' });
      const inputId = await test.start(test.workflowId, { read: 'a', post: 'a' });
      const ref = refOf(test.under, inputId) ?? '';
      const path = join(test.artifacts.folder, ref.slice(0, 2), ref.slice(2));
      if (harm === 'missing') rmSync(path);
      else writeFileSync(path, '{"version":2}');
      await test.pipeline.stop();
      const again = test.under.restart();
      const next = startInputs({ under: again });
      await next.pass(RETRY_MAX_MS);
      expect(again.outside.arrived.length).toBe(1);
      const last = again.runs(test.workflowId).at(-1);
      expect(last?.state).toMatchObject({
        phase: 'suspended',
        reason: 'approval',
        error: expect.stringContaining(`policy of this input is ${harm} on this device`),
      });
      again.engine.commands.resume(test.workflowId);
      await next.idle();
      expect(again.outside.arrived.length).toBe(2);
      expect(await again.files.get(refOf(again, inputId) ?? '')).toBeDefined();
    }
  });

  it('[PO-4] a policy of another workflow is not used', async () => {
    const under = startEngine({ outside: createPlaces() });
    const workflowId = await under.add(POSTS);
    const inputId = publishUnder(under, workflowId, 'm1', { read: 'a', post: 'a' });
    const { ref } = await under.files.put(policyDocument(under, 'other'));
    setPolicy(under, inputId, ref, under.store.context.deviceId);
    under.engine.wake(workflowId);
    await under.idle();
    expect(under.outside.arrived).toEqual([]);
    expect(under.runs(workflowId)[0]?.state).toMatchObject({
      phase: 'suspended',
      error: expect.stringContaining('is that of another workflow or device'),
    });
  });

  it('[PO-5] counts on the device that froze it: another owner freezes its own, and the first stays listed', async () => {
    const under = startEngine({ outside: createPlaces() });
    const workflowId = await under.add(POSTS);
    const inputId = publishUnder(under, workflowId, 'm1', { read: 'a', post: 'a' });
    setPolicy(under, inputId, 'f'.repeat(64), 'the other device');
    under.engine.wake(workflowId);
    await under.idle();
    expect(under.outside.arrived.length).toBe(1);
    expect(refOf(under, inputId)).not.toBe('f'.repeat(64));
    expect(under.store.artifacts.ofRun(automationRunId(inputId), 5)).toMatchObject([
      { name: 'policy.json', sha256: 'f'.repeat(64), deviceId: 'the other device' },
    ]);
  });

  it('[PO-6] frozen flags and limits count as well: a dry run stays one, and fewer events are published', async () => {
    const under = startEngine({ outside: createPlaces() });
    const workflowId = await under.add(POSTS);
    const dry = publishUnder(under, workflowId, 'm1', { read: 'a', post: 'a' });
    const preview = { ...policyDocument(under, workflowId), flags: { sandboxPreview: true } };
    const { ref } = await under.files.put(preview);
    setPolicy(under, dry, ref, under.store.context.deviceId);
    under.engine.wake(workflowId);
    await under.idle();
    expect(under.outside.arrived).toEqual([]);
    expect(under.runs(workflowId)[0]?.state.phase).toBe('committed');

    const quiet = publishUnder(under, workflowId, 'm2', { read: 'a', post: 'a' });
    const document = policyDocument(under, workflowId);
    const none = { ...document, limits: { ...document.limits, publishes: 0 } };
    const put = await under.files.put(none);
    setPolicy(under, quiet, put.ref, under.store.context.deviceId);
    under.engine.wake(workflowId);
    await under.idle();
    expect(under.runs(workflowId).at(-1)?.state).toMatchObject({
      phase: 'suspended',
      error: expect.stringContaining('at most 0 events'),
    });
  });

  it('[PO-6] of several inputs, the narrowest counts', () => {
    const facts = {
      workflow: 'w',
      device: 'd',
      redactPaths: [],
      grants: { http: { hosts: ['a.org'] } },
      flags: freezeFlags(),
    };
    const one = freezePolicy(facts);
    const other = {
      ...freezePolicy({ ...facts, flags: freezeFlags({ sandboxPreview: true }) }),
      limits: { ...CURRENT_LIMITS, phaseWallMs: 5, phaseCpuMs: CURRENT_LIMITS.phaseCpuMs * 2 },
    };
    expect(combinePolicies([one, other])).toEqual({
      grants: [one.grants, other.grants],
      isPreview: true,
      limits: { ...CURRENT_LIMITS, phaseWallMs: 5 },
    });
    expect(combinePolicies([one]).isPreview).toBe(false);
  });
});

/** An input with a pending event, without the stages that would freeze its policy. */
function publishUnder(
  { engine, store }: EngineUnderTest,
  workflowId: string,
  id: string,
  payload: Json,
): string {
  return store.db.write(() => {
    const { inputId } = engine.context.inputs.register(
      {
        workflowId,
        kind: 'manual',
        triggerId: 'manual',
        dedupKey: id,
        source: 'test',
        type: 'test',
        externalId: id,
        title: id,
        topic: null,
        redactPaths: [],
        bytes: 0,
        sha256: '',
      },
      null,
    );
    const topic = store.topics.ensure(workflowId, 'in');
    store.events.publish({ topic, messageId: id, title: id, payload, causedBy: inputId });
    return inputId;
  });
}

function setPolicy({ store }: EngineUnderTest, inputId: string, policy: string, by: string): void {
  store.automationRuns.setArtifacts(automationRunId(inputId), { policy, policy_by: by });
}

function policyDocument({ store }: EngineUnderTest, workflow: string) {
  return freezePolicy({
    workflow,
    device: store.context.deviceId,
    redactPaths: [],
    grants: { outside: { places: ['a'] } },
    flags: freezeFlags(),
  });
}
