// Activating a version: it is used at once, and what it can't take up is asked about and stays.
import { describe, expect, it } from 'vitest';
import { describeLeftBehind, leftBehindBy } from '#shared/left-behind.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const failingNext = POSTER.replace(
  'const { messageId }',
  `throw new Error('no stamp'); const { messageId }`,
);
const withoutHandler = POSTER.replace('post: {', 'send: {');
const twoTopics = POSTER.replace(`topics: ['in', 'out']`, `topics: ['in', 'out', 'parcels']`);
const refused = { type: 'failed', errorType: 'network', error: 'try later' } as const;

/** A run whose effect was made and whose next() failed. */
async function runInTheMiddle(
  engine: EngineUnderTest,
): Promise<{ workflowId: string; runId: string }> {
  const workflowId = await engine.add(failingNext);
  await engine.publish(workflowId, 'in', 'm1');
  return { workflowId, runId: engine.runs(workflowId)[0]?.id ?? '' };
}

describe('a version without a handler', () => {
  it('[EN-31] is not activated while a run of it is unfinished, unless a person confirms', async () => {
    const engine = startEngine();
    const { workflowId } = await runInTheMiddle(engine);
    await engine.add(withoutHandler);
    const before = engine.store.workflows.get(workflowId);
    expect(() => engine.library.activate(workflowId)).toThrow(
      '1 unfinished run belongs to "post", which the new version no longer has. Nothing was activated.',
    );
    expect(engine.store.workflows.get(workflowId)).toEqual(before);
    engine.library.activate(workflowId, true);
    expect(engine.store.workflows.get(workflowId)?.draft).toBeNull();
  });

  it('[EN-32] leaves the run suspended with the reason, and its other handlers run', async () => {
    const engine = startEngine();
    const { workflowId, runId } = await runInTheMiddle(engine);
    await engine.add(withoutHandler);
    engine.library.activate(workflowId, true);
    await engine.idle();
    await engine.publish(workflowId, 'in', 'm2');
    expect(engine.store.handlerRuns.get(runId)?.state).toMatchObject({
      phase: 'suspended',
      error: expect.stringContaining('no consumer "post"') as string,
    });
    expect(engine.runs(workflowId).at(-1)).toMatchObject({
      handlerName: 'send',
      state: { phase: 'committed' },
    });
    expect(engine.outside.arrived.length).toBe(2);
  });

  it('[EN-32] a version that has the handler again finishes the run, and nothing is sent again', async () => {
    const engine = startEngine();
    const { workflowId, runId } = await runInTheMiddle(engine);
    await engine.add(withoutHandler);
    engine.library.activate(workflowId, true);
    await engine.idle();
    await engine.add(POSTER);
    engine.library.activate(workflowId);
    await engine.idle();
    expect(engine.store.handlerRuns.get(runId)?.state.phase).toBe('committed');
    expect(engine.outside.arrived.length).toBe(1);
  });

  it('[EN-32] after a restart the run still waits for its handler', async () => {
    const first = startEngine();
    const { workflowId, runId } = await runInTheMiddle(first);
    await first.add(withoutHandler);
    first.library.activate(workflowId, true);
    await first.idle();
    const second = first.restart();
    await second.idle();
    expect(second.store.handlerRuns.get(runId)?.state.phase).toBe('suspended');
    second.engine.commands.resume(workflowId);
    await second.idle();
    expect(second.store.handlerRuns.get(runId)?.state.phase).toBe('suspended');
  });

  it('[EN-32] an unknown outcome that is settled later waits for its handler too', async () => {
    const engine = startEngine();
    const workflowId = await engine.add(POSTER);
    engine.outside.answers.push({ type: 'ambiguous', error: 'no reply' });
    await engine.publish(workflowId, 'in', 'm1');
    const [run] = engine.runs(workflowId);
    const mutation = engine.store.mutations.ofRun(run?.id ?? '');
    await engine.add(withoutHandler);
    engine.library.activate(workflowId, true);
    await engine.idle();
    engine.engine.decisions.settle('r1', {
      mutationId: mutation?.id ?? '',
      workflowId,
      resolution: 'user_assert_applied',
    });
    await engine.idle();
    expect(engine.store.handlerRuns.get(run?.id ?? '')?.state).toMatchObject({
      phase: 'suspended',
      error: expect.stringContaining('no consumer "post"') as string,
    });
  });
});

describe('a version without a topic', () => {
  async function waitingInParcels(engine: EngineUnderTest): Promise<string> {
    const workflowId = await engine.add(twoTopics);
    await engine.publish(workflowId, 'parcels', 'p1');
    await engine.publish(workflowId, 'parcels', 'p2');
    await engine.add(POSTER);
    return workflowId;
  }

  it('[EN-31] is not activated while events wait in it, unless a person confirms', async () => {
    const engine = startEngine();
    const workflowId = await waitingInParcels(engine);
    expect(() => engine.library.activate(workflowId)).toThrow(
      '2 events wait in "parcels", which the new version no longer has. Nothing was activated.',
    );
    engine.library.activate(workflowId, true);
    const { scriptId } = engine.store.workflows.get(workflowId) ?? {};
    expect(engine.engine.commands.leftBehindBy(workflowId, scriptId ?? '')).toEqual([
      { type: 'events', topic: 'parcels', count: 2 },
    ]);
  });

  it('[EN-31] an activation requested on another device is refused by the owner likewise', async () => {
    const engine = startEngine();
    const workflowId = await waitingInParcels(engine);
    const { draft } = engine.store.workflows.get(workflowId) ?? {};
    const request = {
      kind: 'activate',
      scriptId: draft?.scriptId ?? '',
      basedOn: draft?.basedOn ?? null,
    } as const;
    expect(engine.engine.decisions.submit(workflowId, request)).toMatchObject({
      status: 'refused',
      message: expect.stringContaining('"parcels"') as string,
    });
  });

  it('[EN-33] its events can be skipped once, and those of a topic that the version has cannot', async () => {
    const engine = startEngine();
    const workflowId = await waitingInParcels(engine);
    engine.library.activate(workflowId, true);
    await engine.publish(workflowId, 'out', 'o1');
    const skip = (topic: string) =>
      engine.engine.decisions.submit(workflowId, { kind: 'skip_left_behind', topic });
    expect(skip('out').status).toBe('superseded');
    expect(skip('parcels').status).toBe('done');
    expect(skip('parcels')).toMatchObject({
      status: 'superseded',
      message: 'No events wait in the topic "parcels". Nothing was skipped.',
    });
    const pending = (topic: string): number =>
      engine.store.events.count(engine.store.topics.ensure(workflowId, topic).id, 'pending', 10);
    expect([pending('parcels'), pending('out')]).toEqual([0, 1]);
  });

  it('[EN-33] a version that has the topic again takes its events up', async () => {
    const engine = startEngine();
    const workflowId = await waitingInParcels(engine);
    engine.library.activate(workflowId, true);
    await engine.idle();
    await engine.add(
      twoTopics
        .replace(`subscribes: 'in'`, `subscribes: 'parcels'`)
        .replaceAll(`peek('in'`, `peek('parcels'`),
    );
    engine.library.activate(workflowId);
    await engine.idle();
    expect(engine.outside.arrived.length).toBe(2);
  });
});

describe('what is left behind', () => {
  it('[EN-31] is only what waits, by topic, and what is unfinished, by consumer', () => {
    const consumers = { a: { subscribes: ['t'], publishes: [], hasMutate: false, hasNext: false } };
    const left = leftBehindBy(
      { topics: ['t'], consumers },
      {
        waiting: [
          { topic: 't', count: 5 },
          { topic: 'gone', count: 1 },
          { topic: 'empty', count: 0 },
        ],
        unfinished: ['a', 'b', 'b'],
      },
    );
    expect(left.map((one) => describeLeftBehind(one, 'the new version'))).toEqual([
      '1 event waits in "gone", which the new version no longer has.',
      '2 unfinished runs belong to "b", which the new version no longer has.',
    ]);
  });
});

describe('a fixed version', () => {
  it('[EN-34] is used at once, not after the backoff of the version before', async () => {
    const engine = startEngine();
    const workflowId = await engine.add(POSTER);
    for (let n = 0; n < 4; n += 1) engine.outside.answers.push(refused);
    await engine.publish(workflowId, 'in', 'm1');
    for (const ms of [1000, 2000, 4000]) await engine.pass(ms);
    expect(engine.outside.arrived.length).toBe(4);
    await engine.add(`${POSTER}// fixed`);
    engine.library.activate(workflowId);
    await engine.idle();
    expect(engine.outside.arrived.length).toBe(5);
    const all = engine.runs(workflowId);
    expect(all.at(-1)).toMatchObject({ retryOf: all.at(-2)?.id, state: { phase: 'committed' } });
  });

  it('[EN-34] ends a pause that failures of the version before caused', async () => {
    const engine = startEngine();
    const { workflowId } = await runInTheMiddle(engine);
    expect(engine.store.workflows.get(workflowId)?.status).toBe('paused');
    await engine.add(POSTER);
    engine.library.activate(workflowId);
    await engine.idle();
    expect(engine.store.workflows.get(workflowId)?.status).toBe('active');
  });

  it('[EN-34] does not end a pause by a person', async () => {
    for (const reason of ['', 'on holiday']) {
      const engine = startEngine();
      const workflowId = await engine.add(POSTER);
      engine.engine.commands.pause(workflowId, reason);
      await engine.publish(workflowId, 'in', 'm1');
      await engine.add(`${POSTER}// fixed`);
      engine.library.activate(workflowId);
      await engine.idle();
      expect(engine.store.workflows.get(workflowId)).toMatchObject({
        status: 'paused',
        draft: null,
      });
      expect(engine.outside.arrived).toEqual([]);
    }
  });
});
