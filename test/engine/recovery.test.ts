// Recovery from each state that a crash can leave.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mutationId } from '#shared/ids.ts';
import { NEGATIVES_APART_MS } from '#shared/limits.ts';
import { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { NOT_THERE } from '#test/support/fake-outside.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

/** Runs until `point` and hangs there, as if the process had been killed. */
async function crashAt(
  point: string,
  options: { canReconcile?: boolean } = {},
): Promise<EngineUnderTest & { workflowId: string; eventId: string; crashed: HandlerRun }> {
  const first = startEngine(options);
  const { store, outside } = first;
  const workflowId = await first.add(POSTER);
  const never = new Promise<never>(() => undefined);
  if (point === 'sent') outside.answers.push(() => never);
  else killAt(first, point);
  const topic = store.topics.ensure(workflowId, 'in');
  const published = store.events.publish({ topic, messageId: 'm1', title: 'm1', payload: 1 });
  if (published.type === 'payload_too_large') throw new Error();
  first.engine.wake(workflowId);
  await waitFor(() =>
    point === 'sent' ? outside.arrived.length === 1 : first.steps.includes(point),
  );
  const [crashed] = first.runs(workflowId);
  const second = first.restart();
  await second.idle();
  return { ...second, workflowId, eventId: published.eventId, crashed: crashed as HandlerRun };
}

/** A killed process writes and sends nothing more, so every call hangs from `point` on. */
function killAt(engine: EngineUnderTest, point: string): void {
  const { context } = engine.engine;
  const isKilled = (): boolean => engine.steps.includes(point);
  const { bind } = context.tools;
  Object.assign(context, {
    commits: hanging(context.commits, isKilled),
    tools: {
      bind: (...args: Parameters<typeof bind>) => hanging(bind(...args), isKilled, 'mutate'),
    },
  });
}

function hanging<T extends object>(target: T, isKilled: () => boolean, only?: string): T {
  return new Proxy(target, {
    get: (object, key) => {
      const method = Reflect.get(object, key) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) =>
        isKilled() && (only === undefined || key === only)
          ? new Promise(() => undefined)
          : method.apply(object, args);
    },
  });
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const phases = (engine: EngineUnderTest, workflowId: string): string[] =>
  engine.runs(workflowId).map(({ state }) => state.phase);

describe('after a crash', () => {
  it('[EN-12] before the effect, the run fails and a new run sends the effect', async () => {
    const engine = await crashAt('in_flight:before');
    expect(phases(engine, engine.workflowId)).toEqual(['failed', 'committed']);
    const [first, second] = engine.runs(engine.workflowId);
    expect(second?.retryOf).toBe(first?.id);
    expect(first?.state).toMatchObject({ errorType: 'internal' });
    expect(engine.outside.arrived.length).toBe(1);
    expect(engine.store.events.get(engine.eventId)?.state.status).toBe('consumed');
  });

  it('[EN-12] in flight without a check, the outcome is unknown and nothing is sent', async () => {
    const engine = await crashAt('in_flight:after');
    expect(phases(engine, engine.workflowId)).toEqual(['suspended']);
    expect(engine.store.mutations.ofRun(engine.crashed.id)?.state.status).toBe('indeterminate');
    await engine.pass(3_600_000);
    expect(engine.outside.arrived.length).toBe(0);
    expect(engine.store.events.get(engine.eventId)?.state.status).toBe('reserved');
  });

  it('[EN-12] sent without a response, the outcome is unknown and it is not sent again', async () => {
    const engine = await crashAt('sent');
    expect(engine.store.mutations.ofRun(engine.crashed.id)?.state.status).toBe('indeterminate');
    expect(engine.outside.arrived.length).toBe(1);
  });

  it('[EN-12] in flight, a check that finds the effect lets the run continue with its result', async () => {
    const first = startEngine({ canReconcile: true });
    first.outside.reconciles.push({ type: 'happened', result: { found: true } });
    const workflowId = await first.add(POSTER);
    first.outside.answers.push(() => new Promise<never>(() => undefined));
    const topic = first.store.topics.ensure(workflowId, 'in');
    first.store.events.publish({ topic, messageId: 'm1', title: 'm1', payload: 1 });
    first.engine.wake(workflowId);
    await waitFor(() => first.outside.arrived.length === 1);
    const second = first.restart();
    await second.idle();
    expect(phases(second, workflowId)).toEqual(['committed']);
    expect(second.outside.arrived.length).toBe(1);
    const [run] = second.runs(workflowId);
    expect(second.store.mutations.ofRun(run?.id ?? '')?.state).toMatchObject({
      status: 'applied',
      result: { found: true },
    });
  });

  it('[EN-12] in flight, a check that finds no effect lets a new run send it', async () => {
    const first = startEngine({ canReconcile: true });
    first.outside.reconciles.push(NOT_THERE, NOT_THERE);
    const workflowId = await first.add(POSTER);
    first.outside.answers.push(() => new Promise<never>(() => undefined));
    const topic = first.store.topics.ensure(workflowId, 'in');
    first.store.events.publish({ topic, messageId: 'm1', title: 'm1', payload: 1 });
    first.engine.wake(workflowId);
    await waitFor(() => first.outside.arrived.length === 1);
    const second = first.restart();
    await second.idle();
    await second.pass(NEGATIVES_APART_MS);
    await second.pass(2000);
    expect(phases(second, workflowId)).toEqual(['failed', 'committed']);
    expect(second.outside.arrived.length).toBe(2);
  });

  it('[EN-12] after the effect, another run continues and nothing is sent again', async () => {
    const engine = await crashAt('outcome:after');
    expect(phases(engine, engine.workflowId)).toEqual(['failed', 'committed']);
    const [first, second] = engine.runs(engine.workflowId);
    expect(second?.retryOf).toBe(first?.id);
    expect(engine.outside.arrived.length).toBe(1);
    expect(engine.store.events.get(engine.eventId)?.state).toMatchObject({
      status: 'consumed',
      reservedByRunId: second?.id,
    });
    const out = engine.store.topics.ensure(engine.workflowId, 'out');
    expect(engine.store.events.peek(out.id, 5)).toMatchObject([
      { payload: { status: 'applied', result: { ok: true } } },
    ]);
    expect(engine.store.mutations.get(mutationId(second?.id ?? ''))).toBeUndefined();
  });

  it('[EN-12] [SR-15] the session ends as suspended, and the next one has its own id', async () => {
    const engine = await crashAt('in_flight:before');
    const sessions = engine.store.scriptRuns.list({ limit: 10 }).runs;
    expect(sessions.map(({ state }) => state.status).toSorted()).toEqual(['running', 'suspended']);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(2);
  });

  it('[EN-12] a lane that crashes while the engine stops recovers its run before stop() resolves', async () => {
    const { add, engine, store, runs, steps } = startEngine();
    const workflowId = await add(POSTER);
    let stopped: Promise<void> | undefined;
    Object.assign(engine.context, {
      probe: (point: string) => {
        steps.push(point);
        if (point !== 'prepare:after') return;
        stopped = engine.stop();
        throw new Error('a bug of ours');
      },
    });
    const topic = store.topics.ensure(workflowId, 'in');
    store.events.publish({ topic, messageId: 'm1', title: 'm1', payload: 1 });
    engine.wake(workflowId);
    await waitFor(() => stopped !== undefined);
    await stopped;
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed']);
    expect(store.scriptRuns.activeIn(workflowId, 'main')).toEqual([]);
  });
});

describe('a run that is killed while it prepares', () => {
  const reading = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Reader', uses: { outside: {} }, topics: ['in'],
  consumers: { read: { subscribes: 'in', publishes: [], async prepare(ctx) {
    const [event] = await ctx.peek('in', { limit: 1 });
    if (event) await ctx.tools.outside.get({});
    return { reservations: event ? [event] : [] };
  } } },
});`;

  it('[HR-12] it is in the history from its first read, and is shown as started over after a kill', async () => {
    const first = startEngine();
    const workflowId = await first.add(reading);
    first.outside.reads.push(new Promise(() => undefined));
    const before = first.runs(workflowId).length;
    const topic = first.store.topics.ensure(workflowId, 'in');
    first.store.events.publish({ topic, messageId: 'm1', title: 'm1', payload: 1 });
    first.engine.wake(workflowId);
    await waitFor(() => first.outside.reads.length === 0);
    const killed = first.runs(workflowId)[before];
    expect(killed?.state.phase).toBe('preparing');
    const second = first.restart();
    await second.idle();
    const [ended, again] = second.runs(workflowId).slice(before);
    expect(ended).toMatchObject({
      id: killed?.id,
      state: {
        phase: 'failed',
        error: 'Holdfast stopped in the middle of this run. Its work starts over in a new run.',
      },
    });
    expect(again).toMatchObject({ retryOf: killed?.id, state: { phase: 'committed' } });
  });

  it('[HR-12] it has its row also if a write that shares its transaction is refused', async () => {
    const { commit } = CommitQueue.prototype;
    const shared = vi.spyOn(CommitQueue.prototype, 'commit').mockImplementation(function (
      this: CommitQueue,
      work,
    ) {
      const result = commit.call(this, work);
      const refuse = (): never => {
        throw new Error('refused');
      };
      commit.call(this, refuse).catch(() => undefined);
      return result;
    });
    onTestFinished(() => shared.mockRestore());
    const { add, publish, runs, store } = startEngine();
    const workflowId = await add(reading);
    const eventId = await publish(workflowId, 'in', 'm1');
    const { state } = store.events.get(eventId) ?? {};
    expect(state).toMatchObject({ status: 'consumed' });
    expect(runs(workflowId).map(({ state: { phase } }) => phase)).toEqual(['committed']);
  });

  it('[HR-12] a run that reads nothing has no row before its checkpoint', async () => {
    const engine = startEngine();
    const workflowId = await engine.add(POSTER);
    const created = vi.spyOn(engine.store.handlerRuns, 'create');
    await engine.publish(workflowId, 'in', 'm1');
    expect(created.mock.calls.map(([run]) => run.begins?.phase)).toEqual(['prepared']);
  });
});
