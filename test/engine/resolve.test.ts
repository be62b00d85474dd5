import { describe, expect, it } from 'vitest';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import { MAX_RECONCILE_ATTEMPTS } from '#shared/limits.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { fillDisk } from '#test/support/full-disk.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const lost = { type: 'ambiguous', error: 'the connection was cut' } as const;

async function withUnknown(options: { canReconcile?: boolean } = {}): Promise<
  EngineUnderTest & {
    workflowId: string;
    eventId: string;
    run: () => HandlerRun;
    mutation: () => Mutation;
    resolve: (as: Resolution, id?: string, result?: number) => string;
  }
> {
  const engine = startEngine(options);
  const workflowId = await engine.add(POSTER);
  engine.outside.answers.push(lost);
  const eventId = await engine.publish(workflowId, 'in', 'm1');
  const run = (): HandlerRun => engine.runs(workflowId)[0] as HandlerRun;
  const mutation = (): Mutation => engine.store.mutations.ofRun(run().id) as Mutation;
  return {
    ...engine,
    workflowId,
    eventId,
    run,
    mutation,
    resolve: (resolution, id = 'r1', result) =>
      engine.engine.decisions.settle(id, {
        mutationId: mutation().id,
        workflowId,
        resolution,
        result,
      }).status,
  };
}

describe('an unknown outcome', () => {
  it('[EN-13] without a check is indeterminate at once and blocks the workflow', async () => {
    const { run, mutation, publish, workflowId, outside, pass } = await withUnknown();
    expect(mutation().state).toMatchObject({
      status: 'indeterminate',
      error: 'the connection was cut',
    });
    expect(run().state).toMatchObject({ phase: 'suspended', reason: 'reconciliation' });
    await publish(workflowId, 'in', 'm2');
    await pass(86_400_000);
    expect(outside.arrived.length).toBe(1);
  });

  it('[DT-6] a decision that the disk refused is carried out when the disk works again', async () => {
    const { store, resolve, mutation, pass } = await withUnknown();
    const empty = fillDisk(store.db, /^\s*UPDATE resolutions/);
    expect(() => resolve('user_assert_applied')).toThrow('disk is full');
    expect(mutation().state.status).toBe('indeterminate');
    await pass(10_000);
    expect(mutation().state.status).toBe('indeterminate');
    empty();
    await pass(10_000);
    expect(mutation().state.status).toBe('applied');
    expect(store.resolutions.get('r1')?.status).toBe('done');
  });

  it('[EN-13] is checked at once if the tool can check', async () => {
    const engine = startEngine({ canReconcile: true });
    engine.outside.reconciles.push({ type: 'happened', result: 5 });
    const workflowId = await engine.add(POSTER);
    engine.outside.answers.push(lost);
    await engine.publish(workflowId, 'in', 'm1');
    expect(engine.runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
    expect(engine.outside).toMatchObject({ asked: 1, arrived: { length: 1 } });
  });

  it('[EN-13] is checked with backoff up to the limit, then it is indeterminate', async () => {
    const { mutation, outside, pass, run } = await withUnknown({ canReconcile: true });
    expect(outside.asked).toBe(1);
    expect(mutation().state).toMatchObject({
      status: 'needs_reconcile',
      reconcile: { attempts: 1 },
    });
    await pass(1999);
    expect(outside.asked).toBe(1);
    await pass(1);
    expect(outside.asked).toBe(2);
    await pass(3999);
    expect(outside.asked).toBe(2);
    for (let n = 0; n < 20; n += 1) await pass(11 * 60_000);
    expect(outside.asked).toBe(MAX_RECONCILE_ATTEMPTS);
    expect(mutation().state.status).toBe('indeterminate');
    expect(run().state.phase).toBe('suspended');
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-13] that a later check settles lets the same run commit', async () => {
    const { outside, pass, run } = await withUnknown({ canReconcile: true });
    outside.reconciles.push({ type: 'happened', result: 1 });
    await pass(2000);
    expect(run().state.phase).toBe('committed');
    expect(outside.arrived.length).toBe(1);
  });
});

describe('resolutions', () => {
  it('[EN-14] it went through: applied with the given result, and the run commits', async () => {
    const { resolve, idle, run, mutation, store, eventId, outside } = await withUnknown();
    expect(resolve('user_assert_applied', 'r1', 42)).toBe('done');
    await idle();
    expect(mutation().state).toMatchObject({
      status: 'applied',
      result: 42,
      resolved: { by: 'user_assert_applied' },
    });
    expect(run().state).toMatchObject({ phase: 'committed' });
    expect(store.events.get(eventId)?.state.status).toBe('consumed');
    expect(outside.arrived.length).toBe(1);
  });

  it("[EN-14] it didn't: a new run sends it with the same effect id", async () => {
    const { resolve, idle, runs, workflowId, outside, store } = await withUnknown();
    resolve('user_assert_failed');
    await idle();
    const all = runs(workflowId);
    expect(all.map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
    expect(all[1]?.retryOf).toBe(all[0]?.id);
    expect(outside.arrived.length).toBe(2);
    expect(outside.arrived[0]?.effectId).toBe(outside.arrived[1]?.effectId);
    expect(store.mutations.ofRun(all[0]?.id ?? '')?.state).toMatchObject({
      status: 'failed',
      resolved: { by: 'user_assert_failed' },
    });
  });

  it('[EN-14] send again: nothing is sent if the ledger no longer has it in flight', async () => {
    const { mutation, run, resolve, outside, store, idle } = await withUnknown();
    resolve('user_retry');
    expect(mutation().state.status).toBe('in_flight');
    // Given up in between.
    store.mutations.move(mutation().id, { type: 'give_up', error: 'nobody knows' });
    await idle();
    expect(outside.arrived.length).toBe(1);
    expect(mutation().state).toMatchObject({ status: 'indeterminate', error: 'nobody knows' });
    expect(run().state.phase).toBe('suspended');
  });

  it('[EN-14] check again: a check that finds the effect lets the run commit', async () => {
    const { resolve, idle, mutation, outside, pass, run } = await withUnknown({
      canReconcile: true,
    });
    for (let n = 0; n < 20; n += 1) await pass(11 * 60_000);
    expect(mutation().state.status).toBe('indeterminate');
    outside.reconciles.push({ type: 'happened', result: 1 });
    resolve('user_retry');
    await idle();
    expect(run().state.phase).toBe('committed');
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-14] send again without a check: sent once more with the same effect id', async () => {
    const { resolve, idle, run, outside } = await withUnknown();
    resolve('user_retry');
    await idle();
    expect(run().state.phase).toBe('committed');
    expect(outside.arrived.length).toBe(2);
    expect(outside.arrived[0]?.effectId).toBe(outside.arrived[1]?.effectId);
  });

  it('[EN-14] send again with an ambiguous response: unknown again, and can be settled again', async () => {
    const { resolve, idle, run, mutation, outside } = await withUnknown();
    outside.answers.push(lost);
    resolve('user_retry');
    await idle();
    expect(mutation().state.status).toBe('indeterminate');
    expect(resolve('user_assert_applied', 'r2', 1)).toBe('done');
    await idle();
    expect(run().state.phase).toBe('committed');
    expect(outside.arrived.length).toBe(2);
  });

  it.each([
    { type: 'failed', errorType: 'logic', error: '409 Conflict' },
    { type: 'failed', errorType: 'auth', error: '401 Unauthorized' },
    { type: 'not_sent', errorType: 'network', error: 'no route to host' },
  ] as const)(
    '[EN-28] send again, answered with $error: still unknown, sent no more, and can be settled',
    async (refused) => {
      const { resolve, idle, run, mutation, outside, pass } = await withUnknown();
      outside.answers.push(refused);
      resolve('user_retry');
      await idle();
      expect(mutation().state).toMatchObject({ status: 'indeterminate' });
      expect(run().state.phase).toBe('suspended');
      await pass(3_600_000);
      expect(outside.arrived.length).toBe(2);
      expect(resolve('user_assert_applied', 'r2', 1)).toBe('done');
      await idle();
      expect([run().state.phase, outside.arrived.length]).toEqual(['committed', 2]);
    },
  );

  it('[EN-14] skip: the event is skipped, next gets status skipped, and the outcome stays unknown', async () => {
    const { resolve, idle, run, mutation, store, eventId, workflowId, publish, outside } =
      await withUnknown();
    resolve('user_skip');
    await idle();
    expect(mutation().state).toMatchObject({
      status: 'indeterminate',
      resolved: { by: 'user_skip' },
    });
    expect(run().state.phase).toBe('committed');
    expect(store.events.get(eventId)?.state).toMatchObject({
      status: 'skipped',
      reason: 'by_person',
    });
    const out = store.topics.ensure(workflowId, 'out');
    expect(store.events.peek(out.id, 5)).toMatchObject([{ payload: { status: 'skipped' } }]);
    await publish(workflowId, 'in', 'm2');
    expect(outside.arrived.length).toBe(2);
  });

  it('[EN-14] the first resolution wins; a second one is superseded and changes nothing', async () => {
    const { resolve, idle, mutation, store, outside } = await withUnknown();
    resolve('user_assert_applied', 'r1', 1);
    expect(resolve('user_assert_failed', 'r2')).toBe('superseded');
    // A repeated decision counts once.
    expect(resolve('user_assert_applied', 'r1', 1)).toBe('done');
    await idle();
    expect(mutation().state).toMatchObject({ status: 'applied' });
    expect(outside.arrived.length).toBe(1);
    expect(store.resolutions.ofMutation(mutation().id)).toMatchObject([
      { id: 'r1', status: 'done' },
      { id: 'r2', status: 'superseded', message: expect.stringContaining('it went through') },
    ]);
  });

  it('[EN-14] the run log records the resolution and the device that made it', async () => {
    const { resolve, idle, run, store } = await withUnknown();
    resolve('user_skip');
    await idle();
    const log = await store.runState.fetchEvents(run().id);
    expect(log.map(({ eventType }) => eventType)).toEqual([
      'effect.indeterminate',
      'effect.resolved',
    ]);
    expect(log[1]?.payload).toMatchObject({ resolution: 'user_skip', decidedOn: 'device-a' });
  });
});

describe('questions', () => {
  const ASKER = POSTER.replace('uses: { outside: {} }', 'uses: { ask: {} }').replace(
    'await ctx.tools.outside.post({ data: prepared.data });',
    "await ctx.tools.ask.question({ question: 'Shall I?', choices: ['yes', 'no'] });",
  );

  it('[EN-17] survive a restart and a resume; the run continues with the first answer', async () => {
    const first = startEngine();
    const workflowId = await first.add(ASKER);
    await first.publish(workflowId, 'in', 'm1');
    const [run] = first.runs(workflowId);
    const mutation = first.store.mutations.ofRun(run?.id ?? '') as Mutation;
    expect(mutation).toMatchObject({
      state: { status: 'pending' },
      call: { params: { question: 'Shall I?' } },
    });
    const second = first.restart();
    await second.idle();
    second.engine.commands.resume(workflowId);
    await second.idle();
    expect(second.runs(workflowId).map(({ state }) => state.phase)).toEqual(['suspended']);
    expect(second.engine.commands.answer(mutation.id, { answer: 'yes' })).toBe(true);
    await second.idle();
    expect(second.runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
    const out = second.store.topics.ensure(workflowId, 'out');
    expect(second.store.events.peek(out.id, 1)).toMatchObject([
      { payload: { status: 'applied', result: { answer: 'yes' } } },
    ]);
    expect(second.engine.commands.answer(mutation.id, { answer: 'no' })).toBe(false);
  });

  it('[EN-17] [EN-29] that are canceled take no answer, and a new run asks again', async () => {
    const engine = startEngine();
    const workflowId = await engine.add(ASKER);
    await engine.publish(workflowId, 'in', 'm1');
    const run = engine.runs(workflowId)[0] as HandlerRun;
    const mutation = engine.store.mutations.ofRun(run.id) as Mutation;
    expect(engine.engine.commands.cancel(run)).toBe('canceled');
    expect(engine.engine.commands.answer(mutation.id, { answer: 'yes' })).toBe(false);
    expect(engine.store.mutations.ofRun(run.id)?.state.status).toBe('failed');
    await engine.idle();
    expect(engine.runs(workflowId).map(({ state }) => state.phase)).toEqual([
      'failed',
      'suspended',
    ]);
    const [again, ...others] = engine.store.mutations.byStatus('pending');
    expect(others).toEqual([]);
    expect(engine.engine.commands.answer(again?.id ?? '', { answer: 'yes' })).toBe(true);
    await engine.idle();
    expect(engine.runs(workflowId)[1]?.state.phase).toBe('committed');
  });
});
