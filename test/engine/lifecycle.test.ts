import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RunBudget } from '#main/engine/lane/run-budget.ts';
import { ApiError } from '#shared/api/errors.ts';
import {
  FINALIZER_PERIOD_MS,
  FSYNC_WITHIN_MS,
  MAX_CHAIN_DEPTH,
  RETRY_MAX_MS,
} from '#shared/limits.ts';
import { eventually } from '#test/support/eventually.ts';
import { openStore } from '#test/support/open-store.ts';
import { createSlowDisk } from '#test/support/slow-disk.ts';
import { POSTER, startEngine } from '#test/support/start-engine.ts';

describe('pause, resume, cancel, rerun', () => {
  it('[EN-18] a pause before the effect keeps it from being sent; resumed, it is sent once', async () => {
    const { add, publish, engine, outside, runs, idle, pass, steps } = startEngine();
    const workflowId = await add(POSTER);
    Object.assign(engine.context, {
      probe: (point: string) => {
        steps.push(point);
        if (point === 'prepare:after' && steps.length === 2) engine.commands.pause(workflowId, '');
      },
    });
    await publish(workflowId, 'in', 'm1');
    expect(outside.arrived).toEqual([]);
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed']);
    engine.commands.resume(workflowId);
    await idle();
    // The stopped run didn't fail, so no backoff delays the next one, and nothing is left for later.
    expect(outside.arrived.length).toBe(1);
    await pass(RETRY_MAX_MS);
    expect(outside.arrived.length).toBe(1);
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
  });

  it('[EN-18] an event published while paused is handled after resume', async () => {
    const { add, publish, engine, outside, idle } = startEngine();
    const workflowId = await add(POSTER);
    engine.commands.pause(workflowId, 'holiday');
    await publish(workflowId, 'in', 'm1');
    expect(outside.arrived).toEqual([]);
    engine.commands.resume(workflowId);
    await idle();
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-18] resume leaves a run with an unknown outcome suspended', async () => {
    const { add, publish, engine, outside, runs, idle } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'lost' });
    await publish(workflowId, 'in', 'm1');
    engine.commands.pause(workflowId, '');
    engine.commands.resume(workflowId);
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['suspended']);
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-18] [EN-29] a run that waits for a grant can be canceled once; a new run takes its event in the same attempt', async () => {
    const { add, publish, engine, store, runs, idle } = startEngine();
    const workflowId = await add(POSTER);
    store.grants.remove(workflowId, 'outside');
    const eventId = await publish(workflowId, 'in', 'm1');
    const [run] = runs(workflowId);
    expect(run && engine.commands.cancel(run)).toBe('canceled');
    await idle();
    const [ended, next] = runs(workflowId);
    expect(ended?.state).toMatchObject({ phase: 'failed', error: 'Canceled before the effect.' });
    expect(next).toMatchObject({ state: { phase: 'suspended' }, retryOf: run?.id });
    expect(store.events.get(eventId)?.state).toEqual({
      status: 'reserved',
      attempt: 1,
      reservedByRunId: next?.id,
    });
    expect(ended && engine.commands.cancel(ended)).toBeNull();
  });

  it('[EN-29] canceling a run before its effect counts as no failure, and its event is posted once at once', async () => {
    const { add, publish, engine, outside, store, runs, steps } = startEngine();
    const workflowId = await add(POSTER);
    Object.assign(engine.context, {
      probe: (point: string) => {
        steps.push(point);
        const [run] = runs(workflowId);
        if (run && point === 'prepare:after' && steps.length === 2) engine.commands.cancel(run);
      },
    });
    await publish(workflowId, 'in', 'm1');
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
    expect(outside.arrived.length).toBe(1);
    expect(store.consumerWakes.get(workflowId, 'post').failures).toBe(0);
  });

  it('[EN-18] a run whose effect has an unknown outcome cannot be canceled', async () => {
    const { add, publish, engine, outside, runs } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'lost' });
    await publish(workflowId, 'in', 'm1');
    const [run] = runs(workflowId);
    expect(run && engine.commands.cancel(run)).toBeNull();
  });

  it('[EN-18] a rerun with another payload is a new attempt with a new effect', async () => {
    const { add, publish, engine, outside, store, idle } = startEngine();
    const workflowId = await add(POSTER);
    const eventId = await publish(workflowId, 'in', 'm1', 'old');
    expect(engine.commands.rerunEvent(eventId, 'new').type).toBe('moved');
    await idle();
    expect(outside.arrived.map(({ params }) => params)).toEqual([{ data: 'old' }, { data: 'new' }]);
    expect(outside.arrived[0]?.effectId).not.toBe(outside.arrived[1]?.effectId);
    expect(store.events.get(eventId)?.state).toMatchObject({ status: 'consumed', attempt: 2 });
  });
});

describe('versions', () => {
  it('[AU-6] the first version runs at once; a changed one is a draft until activated, with its own session', async () => {
    const { add, publish, library, store, outside, idle } = startEngine();
    const workflowId = await add(POSTER);
    const active = store.workflows.get(workflowId)?.scriptId;
    const changed = POSTER.replace('{ data: prepared.data }', "{ data: 'changed' }");
    expect(await add(changed)).toBe(workflowId);
    expect(store.workflows.get(workflowId)).toMatchObject({ scriptId: active });
    await publish(workflowId, 'in', 'm1', 1);
    library.activate(workflowId);
    await idle();
    await publish(workflowId, 'in', 'm2', 2);
    expect(outside.arrived.map(({ params }) => params)).toEqual([{ data: 1 }, { data: 'changed' }]);
    expect(store.scripts.versions(workflowId).versions.length).toBe(2);
    expect(store.workflows.get(workflowId)?.draft).toBeNull();
    // Two versions ran, each in a session pinned to it.
    const sessions = store.scriptRuns.list({ limit: 5 }).runs.map(({ scriptId }) => scriptId);
    expect(new Set(sessions).size).toBe(2);
  });

  it('[AU-6] a draft never replaces a version activated after the draft began', async () => {
    const { add, library, store } = startEngine();
    const workflowId = await add(POSTER);
    await add(`${POSTER}\n// two`);
    const draft = store.workflows.get(workflowId)?.draft ?? null;
    library.activate(workflowId);
    store.workflows.setDraft(workflowId, draft && { ...draft, basedOn: 'an older version' });
    expect(() => library.activate(workflowId)).toThrow(ApiError);
    expect(() => library.activate(workflowId)).toThrow('Another version was activated');
  });

  it('[AU-6] adding the same file again changes nothing; a broken file is refused with line and column', async () => {
    const { add, library, store } = startEngine();
    const workflowId = await add(POSTER);
    await add(POSTER);
    expect(store.scripts.versions(workflowId).versions.length).toBe(1);
    expect(store.workflows.get(workflowId)?.draft).toBeNull();
    expect(() => library.activate(workflowId)).toThrow('no draft');
    await expect(add('export default workflow({')).rejects.toThrow(/workflow\.ts:\d+:\d+/);
    expect(store.workflows.get(workflowId)?.status).toBe('active');
  });
});

describe('guards', () => {
  it('[EN-20] a run that no lane is executing is ended, and a new run does its work', async () => {
    const { add, store, engine, outside, pass, runs } = startEngine();
    const workflowId = await add(POSTER);
    engine.commands.pause(workflowId, '');
    const topic = store.topics.ensure(workflowId, 'in');
    const published = store.events.publish({ topic, messageId: 'm', title: 'm', payload: 1 });
    if (published.type === 'payload_too_large') throw new Error();
    const { id } = store.handlerRuns.create({
      scriptRunId: 'gone',
      workflowId,
      handlerType: 'consumer',
      handlerName: 'post',
      inputState: null,
      epoch: 1,
      begins: { phase: 'prepared', prepareResult: { reservations: [] } },
    });
    store.events.reserve([published.eventId], id);
    store.workflows.setStatus(workflowId, 'active');
    await pass(FINALIZER_PERIOD_MS);
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
    expect(outside.arrived.length).toBe(1);
  });

  it('[EN-20] a run that waits long for its effect is not ended', async () => {
    const { add, publish, outside, pass, runs, store, engine } = startEngine();
    const workflowId = await add(POSTER);
    let answer: (outcome: { type: 'applied'; result: null }) => void = () => undefined;
    outside.answers.push(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const topic = store.topics.ensure(workflowId, 'in');
    store.events.publish({ topic, messageId: 'm', title: 'm', payload: 1 });
    engine.wake(workflowId);
    while (outside.arrived.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await store.clock.advance(10 * FINALIZER_PERIOD_MS);
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['mutating']);
    answer({ type: 'applied', result: null });
    await pass(1);
    await publish(workflowId, 'in', 'm');
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
  });

  it('[EN-21] a workflow that triggers itself is paused at the chain limit, with the reason', async () => {
    const { add, store, engine, idle, runs } = startEngine();
    const workflowId = await add(`
      import { workflow } from 'holdfast';
      export default workflow({ name: 'Loop', topics: ['t'], consumers: { c: {
        subscribes: 't', publishes: ['t'],
        async prepare(ctx) {
          const [event] = await ctx.peek('t', { limit: 1 });
          return { reservations: event ? [event] : [], data: event?.payload };
        },
        async next(ctx, prepared) {
          const n = prepared.data + 1;
          if (prepared.reservations.length > 0) {
            await ctx.publish('t', { id: 'n' + n, title: 'n', payload: n });
          }
        } } } });`);
    const topic = store.topics.ensure(workflowId, 't');
    const start = MAX_CHAIN_DEPTH - 3;
    store.events.publish({ topic, messageId: 's', title: 's', payload: 0, depth: start });
    engine.wake(workflowId);
    await idle();
    expect(runs(workflowId).length).toBe(4);
    expect(store.workflows.get(workflowId)).toMatchObject({
      status: 'paused',
      statusReason: expect.stringContaining('chain of runs') as string,
    });
  });
});

describe('run budget', () => {
  it('[EN-21] allows its number of runs and starts again with the next hour', () => {
    const budget = new RunBudget(2);
    const at = Date.UTC(2026, 0, 1, 10, 59);
    expect([budget.spend(at), budget.spend(at), budget.spend(at)]).toEqual([true, true, false]);
    expect(budget.spend(at + 60_000)).toBe(true);
  });
});

describe('group commit', () => {
  it('[EN-1] no effect is sent before its in-flight row is fsynced', async () => {
    const disk = createSlowDisk();
    const store = openStore('device-a', undefined, disk);
    const { add, engine, outside, idle, runs } = startEngine({ store });
    const workflowId = await add(POSTER);
    const topic = store.topics.ensure(workflowId, 'in');
    store.events.publish({ topic, messageId: 'm1', title: 'm1', payload: null });
    engine.wake(workflowId);
    while (disk.begun() === 0) await pause(1);
    await pause(20);
    expect(store.mutations.byStatus('in_flight').length).toBe(1);
    expect(outside.arrived.length).toBe(0);
    disk.finish();
    await idle();
    expect(outside.arrived.length).toBe(1);
    expect(runs(workflowId)[0]?.state.phase).toBe('committed');
  });

  it('[DB-11] the end of a run is fsynced in time while another lane is busy, and only once', async () => {
    const seen: (string | undefined)[] = [];
    const store = openStore('device-a', undefined, {
      fsync: (done) => {
        seen.push(store.db.value('SELECT phase FROM handler_runs ORDER BY id DESC'));
        setImmediate(done, null);
      },
    });
    const { add, engine, outside, runs } = startEngine({ store });
    const [busy, quick] = [
      await add(POSTER, 'busy'),
      await add(POSTER.replace("'Poster'", "'Quick'"), 'quick'),
    ];
    let reply: () => void = () => undefined;
    outside.answers.push(
      () =>
        new Promise((resolve) => {
          reply = () => resolve({ type: 'applied', result: null });
        }),
    );
    const event = { topic: 'in', messageId: 'm1', title: 'm1', payload: null };
    await engine.publish({ ...event, workflowId: busy });
    await eventually(() => expect(outside.arrived.length).toBe(1));
    await engine.publish({ ...event, workflowId: quick });
    await eventually(() => expect(runs(quick)[0]?.state.phase).toBe('committed'));
    expect(engine.isBusy(busy)).toBe(true);
    expect(seen).toEqual(['mutating', 'mutating']);
    await store.clock.advance(FSYNC_WITHIN_MS);
    expect(seen).toEqual(['mutating', 'mutating', 'committed']);
    // Nothing was written since, so there is nothing to fsync.
    await store.clock.advance(FSYNC_WITHIN_MS);
    expect(seen.length).toBe(3);
    reply();
  });
});
