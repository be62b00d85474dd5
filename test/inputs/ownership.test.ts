// Inputs of a shared workflow: every device receives inputs, only the owner processes them.
import { describe, expect, it } from 'vitest';
import { automationRunId } from '#shared/ids.ts';
import { exchangeAll, send, startDevices } from '#test/support/start-devices.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import type { EngineUnderTest } from '#test/support/start-engine.ts';
import { READ_POSTER, startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

const WAY = ['enriching', 'ready', 'running'];

async function pair(): Promise<{
  a: InputsUnderTest;
  b: InputsUnderTest;
  workflowId: string;
  meet(): Promise<void>;
}> {
  const { all, workflowId } = await startDevices(['a', 'b'], { source: READ_POSTER });
  const [first, second] = all as [EngineUnderTest, EngineUnderTest];
  const a = startInputs({ under: first });
  const b = startInputs({ under: second });
  const meet = async (): Promise<void> => {
    for (let round = 0; round < 3; round += 1) {
      await send(first, second);
      await b.idle();
      await send(second, first);
      await a.idle();
    }
    await exchangeAll(all);
  };
  return { a, b, workflowId, meet };
}

describe('inputs on two devices', () => {
  it('[AR-10] an input received by another device is processed once, by the owner', async () => {
    const { a, b, workflowId, meet } = await pair();
    const id = await b.start(workflowId, { n: 1 });
    expect(b.run(id).state.status).toBe('queued');
    expect(b.under.store.outbox.depth()).toBe(0);
    await meet();
    expect(a.path(id)).toEqual(WAY);
    expect(a.under.outside.arrived).toHaveLength(1);
    expect(b.run(id).state).toEqual(a.run(id).state);
    expect(b.under.store.sideEffects.ofRun(automationRunId(id))).toHaveLength(1);
    expect(dumpRows(a.under.store.db)).toEqual(dumpRows(b.under.store.db));
  });

  it('[IG-2] the same input received by both devices is one input with one effect', async () => {
    const { a, b, workflowId, meet } = await pair();
    const facts = {
      workflowId,
      kind: 'webhook',
      triggerId: 'hook',
      dedupKey: 'k',
      source: 's',
      type: 't',
      externalId: 'e',
      title: 'T',
      topic: 'in',
      redactPaths: [],
      bytes: 4,
      sha256: 'x',
    } as const;
    const take = ({ under }: InputsUnderTest): string =>
      under.store.db.write(() => under.engine.context.inputs.register(facts, null)).inputId;
    const id = take(a);
    expect(take(b)).toBe(id);
    await a.idle();
    await meet();
    expect(a.under.outside.arrived).toHaveLength(1);
    expect(a.path(id)).toEqual(WAY);
    expect(b.run(id).state.status).toBe('running');
    expect(dumpRows(a.under.store.db)).toEqual(dumpRows(b.under.store.db));
  });

  it('[AR-10] [AR-13] a stop requested on another device is carried out by the owner', async () => {
    const { a, b, workflowId, meet } = await pair();
    const id = await a.start(workflowId);
    await meet();
    const request = { kind: 'stop_input', inputId: id, as: 'skipped', reason: 'from b' } as const;
    const asked = b.under.engine.decisions.submit(workflowId, request);
    expect(asked.status).toBe('waiting');
    expect(b.run(id).state.status).toBe('running');
    await meet();
    // Its effect was made; the event it published is skipped.
    expect(a.run(id).state).toEqual({
      status: 'canceled',
      reason: 'It had already sent an effect, which is not undone. You wrote: from b',
    });
    expect(b.run(id).state).toEqual(a.run(id).state);
    expect(b.under.store.intents.get(asked.id)?.status).toBe('done');
  });

  it('[AR-10] after a hand-over the new owner processes a queued input', async () => {
    const { a, b, workflowId, meet } = await pair();
    await a.pipeline.stop();
    const id = a.put(workflowId, { n: 1 });
    await meet();
    expect(b.run(id).state.status).toBe('queued');
    const epoch = a.under.store.ownership.epoch(workflowId) ?? 0;
    a.under.engine.decisions.submit(workflowId, { kind: 'handover', toDeviceId: 'b', epoch });
    await meet();
    expect(b.path(id)).toEqual(WAY);
    expect(b.under.outside.arrived).toHaveLength(1);
    expect(a.run(id).state.status).toBe('running');
    // The former owner doesn't try its stages again and again.
    expect(a.under.store.outbox.depth()).toBe(0);
  });

  it('[AR-10] after a take-over the new owner sanitizes the stored payload again', async () => {
    const { a, b, workflowId, meet } = await pair();
    await a.pipeline.stop();
    const id = a.put(workflowId, { n: 7, password: 'x-secret' });
    const { inputs } = a.under.engine.context;
    const runId = automationRunId(id);
    for (const type of ['enrich', 'enriched'] as const) {
      inputs.move(runId, { actor: 'stage', event: { type } });
    }
    a.under.store.automationRuns.setArtifacts(runId, {
      enrichment: 'a'.repeat(64),
      sources: 'b'.repeat(64),
      policy: 'c'.repeat(64),
    });
    await meet();
    b.under.engine.ownership.takeOver(workflowId);
    await b.idle();
    expect(b.path(id)).toEqual(WAY);
    const [arrived] = b.under.outside.arrived;
    expect(arrived?.params).toMatchObject({ data: { n: 7 } });
    expect(JSON.stringify(arrived)).not.toContain('x-secret');
  });
});
