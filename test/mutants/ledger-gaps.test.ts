// Cases that no other test covered, found by the crash matrix and the ledger mutants.
import { describe, expect, it } from 'vitest';
import { mutationId } from '#shared/ids.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const lost = { type: 'ambiguous', error: 'the connection was cut' } as const;

async function withUnknown(
  canReconcile: boolean,
): Promise<EngineUnderTest & { readonly workflowId: string; readonly unknown: string }> {
  const under = startEngine({ canReconcile });
  const workflowId = await under.add(POSTER);
  under.outside.answers.push(lost);
  await under.publish(workflowId, 'in', 'm1');
  const unknown = mutationId(under.runs(workflowId)[0]?.id ?? '');
  return { ...under, workflowId, unknown };
}

describe('an effect that did not happen', () => {
  it('[EN-12] is sent by a new run after a crash before its run ended', async () => {
    const first = await withUnknown(true);
    const { store, workflowId, unknown } = first;
    store.mutations.move(unknown, { type: 'fail', error: 'the outside said no' });
    const { runs, outside, idle } = first.restart();
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
    expect(outside.arrived.length).toBe(2);
  });

  it('[EN-12] ends its run after a crash while the workflow is paused, and is not sent', async () => {
    const first = await withUnknown(true);
    const { engine, store, workflowId, unknown } = first;
    engine.commands.pause(workflowId, 'holiday');
    store.mutations.move(unknown, { type: 'fail', error: 'the outside said no' });
    const { runs, outside, idle } = first.restart();
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed']);
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-14] settled by a person, ends its run while the workflow is paused, with an error that says so', async () => {
    const { engine, workflowId, unknown, idle, runs } = await withUnknown(false);
    engine.commands.pause(workflowId, 'holiday');
    engine.decisions.settle('no', {
      mutationId: unknown,
      workflowId,
      resolution: 'user_assert_failed',
    });
    await idle();
    expect(runs(workflowId).map(({ state }) => state)).toMatchObject([
      {
        phase: 'failed',
        error: "You said that it didn't go through. Holdfast sends it in a new run.",
      },
    ]);
  });
});

describe('an effect settled as applied', () => {
  it('[EN-14] moves its run to mutated while the workflow is paused, and the run commits after resume', async () => {
    const { engine, workflowId, unknown, idle, runs, outside } = await withUnknown(false);
    engine.commands.pause(workflowId, 'holiday');
    engine.decisions.settle('yes', {
      mutationId: unknown,
      workflowId,
      resolution: 'user_assert_applied',
    });
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['mutated']);
    engine.commands.resume(workflowId);
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
    expect(outside.arrived.length).toBe(1);
  });
});

describe('an effect that is sent again on request', () => {
  it('[EN-12] and interrupted by a crash is unknown again, and is not sent', async () => {
    const first = await withUnknown(false);
    const { store, workflowId, unknown } = first;
    const at = store.clock.now();
    store.mutations.move(unknown, { type: 'resolve', as: 'user_retry', at, canReconcile: false });
    const { outside, idle } = first.restart();
    await idle();
    expect(store.mutations.get(unknown)?.state.status).toBe('indeterminate');
    expect(store.handlerRuns.open(workflowId).map(({ state }) => state.phase)).toEqual([
      'suspended',
    ]);
    expect(outside.arrived.length).toBe(1);
  });
});

describe('an effect that is open in a run of another device', () => {
  it('[EN-11] is not sent; the new run waits for reconciliation', async () => {
    const { store, engine, workflowId, idle, outside } = await withUnknown(false);
    // As after a merge: the run of another device has failed, its effect is unknown, and the event is
    // pending.
    store.db.run('SELECT crsql_internal_sync_bit(1)');
    store.db.run(`UPDATE handler_runs SET facts = json_set(facts, '$.device_id', 'other'),
      progress = '{"phase":"failed"}'`);
    store.db.run(`UPDATE events SET progress = json_set(progress, '$.status', 'pending')`);
    store.db.run('SELECT crsql_internal_sync_bit(0)');
    engine.wake(workflowId);
    await idle();
    expect(store.handlerRuns.open(workflowId).map(({ state }) => state)).toMatchObject([
      { phase: 'suspended', reason: 'reconciliation' },
    ]);
    expect(outside.arrived.length).toBe(1);
  });
});

describe('the steps of a run', () => {
  it('[EN-1] are one transaction each, with the call between in_flight and outcome', async () => {
    const { add, publish, steps, store } = startEngine();
    const workflowId = await add(POSTER);
    store.db.changes.subscribe(() => steps.push('transaction'));
    await publish(workflowId, 'in', 'm1');
    const from = steps.indexOf('prepare:before');
    expect(steps.slice(from, steps.indexOf('commit:after') + 1)).toEqual([
      'prepare:before',
      'transaction',
      'prepare:after',
      'in_flight:before',
      'transaction',
      'in_flight:after',
      'send:before',
      'send:after',
      'outcome:before',
      'transaction',
      'outcome:after',
      'commit:before',
      'transaction',
      'commit:after',
    ]);
  });
});

describe('a session that was ended elsewhere', () => {
  /** The session is ended while its call is under way. */
  async function endDuringCall(): Promise<EngineUnderTest & { readonly workflowId: string }> {
    const under = startEngine();
    const { add, publish, store, outside } = under;
    const workflowId = await add(POSTER);
    outside.answers.push(() => {
      for (const { id } of store.scriptRuns.active()) {
        store.runContexts.finishRun({ runId: id, status: 'failed', terminalEventId: 'elsewhere' });
      }
      return { type: 'applied', result: null };
    });
    await publish(workflowId, 'in', 'm1');
    return { ...under, workflowId };
  }

  it('[SR-8] does not commit its run nor publish', async () => {
    const { runs, workflowId, store } = await endDuringCall();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['mutated']);
    const out = store.topics.ensure(workflowId, 'out');
    expect(store.events.peek(out.id, 1)).toEqual([]);
  });

  it('[EN-12] is continued after the effect by a new run with the same prepare result', async () => {
    const { workflowId, outside, restart } = await endDuringCall();
    const { runs, idle } = restart();
    await idle();
    const [first, second] = runs(workflowId);
    expect(first?.state.phase).toBe('failed');
    expect(Object.keys(second?.timeline ?? {})).toEqual(['emitting', 'committed']);
    expect(second?.prepareResult).toEqual(first?.prepareResult);
    expect(outside.arrived.length).toBe(1);
  });
});
