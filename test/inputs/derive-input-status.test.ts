// How the status of an input's run follows from its events, runs and effects.
import { describe, expect, it } from 'vitest';
import { automationRunId, completionId, effectId, mutationId } from '#shared/ids.ts';
import { deriveStep, type WorkUnderInput } from '#shared/inputs/derive-input-status.ts';
import {
  INPUT_FINALIZER_MS,
  LOGIC_FAILURES_BEFORE_ASIDE,
  RETRY_MAX_MS,
  RUN_DEADLINE_MS,
  RUN_INACTIVITY_MS,
} from '#shared/limits.ts';
import { holdAnswer } from '#test/support/start-devices.ts';
import { READ_POSTER, startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

const AMBIGUOUS = { type: 'ambiguous', error: 'The answer was lost.' } as const;
const WAY = ['enriching', 'ready', 'running'];

/** Completes the input of each event with its payload, and publishes one more event. */
const COMPLETER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Completer', topics: ['in', 'more'],
  consumers: {
    say: {
      subscribes: 'in', publishes: ['more'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : {};
      },
      async next(ctx, { data }) {
        await ctx.publish('more', { id: 'm' + data, title: 'More' });
        await ctx.complete({ said: data });
        await ctx.complete({ said: 'twice' });
      },
    },
    late: {
      subscribes: 'more',
      async prepare(ctx) {
        const [event] = await ctx.peek('more', { limit: 1 });
        return event ? { reservations: [event] } : {};
      },
      async next(ctx) { await ctx.complete({ said: 'late' }); },
    },
  },
});`;

const SILENT = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Silent', topics: ['in'],
  consumers: { take: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event] } : {};
    },
  } },
});`;

const BROKEN = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Broken', topics: ['in'],
  consumers: { fail: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event] } : {};
    },
    async next() { throw new TypeError('no such thing'); },
  } },
});`;

const ASKER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Asker', uses: { ask: {} }, topics: ['in'],
  consumers: { ask: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event] } : {};
    },
    async mutate(ctx) { await ctx.tools.ask.question({ question: 'Well?' }); },
  } },
});`;

const IDLER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Idler', topics: ['in'],
  consumers: { idle: { subscribes: 'in', async prepare() { return {}; } } },
});`;

async function poster(canReconcile = false): Promise<InputsUnderTest & { workflowId: string }> {
  const inputs = startInputs({ canReconcile });
  const workflowId = await inputs.under.add(READ_POSTER);
  inputs.under.store.grants.set(workflowId, 'outside', {});
  return { ...inputs, workflowId };
}

const openEffect = ({ under }: InputsUnderTest): string =>
  under.store.mutations.byStatus('indeterminate')[0]?.id ?? '';

describe('deriveStep', () => {
  const left: WorkUnderInput = {
    isLeft: true,
    waitsForPerson: null,
    consumed: 0,
    setAside: 0,
    skipped: 0,
    hasSent: false,
    hasFollowed: false,
    hasCompletion: false,
  };
  const done: WorkUnderInput = { ...left, isLeft: false, consumed: 1, hasFollowed: true };

  it('[AR-5] a running input without work left is drained, failed or skipped by the ends of its events', () => {
    expect(deriveStep('running', null, done).type).toBe('drained');
    expect(deriveStep('running', null, { ...done, setAside: 2 })).toMatchObject({
      type: 'fail',
      reason: '2 events were set aside after failing too often.',
    });
    expect(
      deriveStep('running', null, { ...done, setAside: 1, hasCompletion: true }),
    ).toMatchObject({ type: 'fail', reason: 'One event was set aside after failing too often.' });
    expect(deriveStep('running', null, { ...done, consumed: 0, skipped: 1 }).type).toBe('skip');
    expect(deriveStep('running', null, { ...done, skipped: 1 }).type).toBe('drained');
    expect(deriveStep('running', null, left).type).toBe('stay');
  });

  it('[AR-5] before execution only a stop ends an input', () => {
    for (const status of ['queued', 'enriching', 'ready'] as const) {
      expect(deriveStep(status, null, done).type).toBe('stay');
      expect(deriveStep(status, { as: 'skipped', reason: 'no', at: 1 }, done).type).toBe('skip');
    }
  });

  it('[AR-6] an input needs a person while work waits for one', () => {
    const waits = { ...left, waitsForPerson: 'Well?' };
    expect(deriveStep('running', null, waits)).toEqual({ type: 'need_human', reason: 'Well?' });
    expect(deriveStep('needs_human', null, waits).type).toBe('stay');
    expect(deriveStep('needs_human', null, left).type).toBe('go_on');
    expect(deriveStep('needs_human', null, done).type).toBe('go_on');
  });

  it('[AR-7] a stop takes effect once no work is left, with the requested status', () => {
    const stop = (as: 'skipped' | 'canceled' | 'timed_out') => ({ as, reason: 'so', at: 1 });
    expect(deriveStep('running', stop('canceled'), left).type).toBe('stay');
    expect(deriveStep('running', stop('canceled'), done)).toEqual({ type: 'cancel', reason: 'so' });
    expect(deriveStep('running', stop('timed_out'), done)).toEqual({
      type: 'time_out',
      reason: 'so',
    });
  });
});

describe('the end of an input', () => {
  it('[AR-5] an input succeeds in the write that finishes its last event', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    const id = await inputs.start(workflowId, { n: 1 });
    // The event that the poster published is pending, so the chain is not drained.
    expect(inputs.path(id)).toEqual(WAY);
    const [left] = under.store.inputChain.pending(id);
    under.store.db.write(() => {
      under.store.events.move(left?.id ?? '', { type: 'skip', reason: 'by_person' });
      // The status is derived just before the commit.
      expect(inputs.run(id).state.status).toBe('running');
    });
    expect(inputs.run(id).state).toEqual({
      status: 'succeeded',
      completionId: completionId(automationRunId(id), 'drained'),
    });
    await inputs.idle();
    const { completionArtifactRef } = inputs.run(id);
    const content = await inputs.artifacts.get(completionArtifactRef ?? '');
    expect(JSON.parse(new TextDecoder().decode(content))).toMatchObject({
      trigger_event_id: id,
      status: 'succeeded',
      result: { consumed: 1, skipped: 1 },
    });
  });

  it('[AR-5] the first ctx.complete ends the input; later ones are only logged as late', async () => {
    const inputs = startInputs();
    const workflowId = await inputs.under.add(COMPLETER);
    const id = await inputs.start(workflowId, 'yes');
    const { automationRuns, runState } = inputs.under.store;
    expect(inputs.run(id).state.status).toBe('succeeded');
    expect(automationRuns.completion(automationRunId(id))).toEqual({ said: 'yes' });
    expect(inputs.under.store.inputChain.ends(id).consumed).toBe(2);
    const events = await runState.fetchEvents(automationRunId(id));
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'automation.enriching',
      'automation.ready',
      'automation.running',
      'automation.succeeded',
      'automation.late_completion',
    ]);
  });

  it('[AR-5] a repeated completion is reported as repeated; a different one is refused', async () => {
    const inputs = startInputs();
    const workflowId = await inputs.under.add(COMPLETER);
    const { engine, store } = inputs.under;
    engine.commands.pause(workflowId, '');
    const id = await inputs.start(workflowId, 'x');
    const runs = engine.context.inputs;
    expect(runs.complete(id, 'cause', 1).type).toBe('moved');
    expect(runs.complete(id, 'cause', 2).type).toBe('repeated');
    expect(runs.complete(id, 'other', 3).type).toBe('rejected');
    expect(store.automationRuns.completion(automationRunId(id))).toBe(1);
    expect(inputs.path(id)).toEqual([...WAY, 'succeeded']);
  });

  it('[AR-5] a completion is one write: status, result, history and outbox row come or go together', async () => {
    const inputs = startInputs();
    const workflowId = await inputs.under.add(COMPLETER);
    const { engine, store } = inputs.under;
    engine.commands.pause(workflowId, '');
    const id = await inputs.start(workflowId, 'x');
    const all = (): unknown => [
      inputs.path(id),
      store.automationRuns.completion(automationRunId(id)),
      store.db.value(`SELECT count(*) FROM outbox WHERE kind = 'write_completion'`),
    ];
    expect(() =>
      store.db.write(() => {
        engine.context.inputs.complete(id, 'cause', 1);
        expect(all()).toEqual([[...WAY, 'succeeded'], 1, 1]);
        throw new Error('power cut');
      }),
    ).toThrow('power cut');
    expect(all()).toEqual([WAY, null, 0]);
  });

  it('[AR-5] an event that is set aside ends its input as failed in the execute stage', async () => {
    const inputs = startInputs();
    const workflowId = await inputs.under.add(BROKEN);
    const id = await inputs.start(workflowId);
    for (let n = 0; n < LOGIC_FAILURES_BEFORE_ASIDE; n += 1) await inputs.pass(RETRY_MAX_MS);
    expect(inputs.run(id).state).toMatchObject({
      status: 'failed',
      stage: 'execute',
      reason: expect.stringContaining('set aside'),
    });
  });

  it('[IG-11] an effect caused by an input is recorded with its response', async () => {
    const inputs = await poster();
    const id = await inputs.start(inputs.workflowId, { n: 1 });
    const [arrived] = inputs.under.outside.arrived;
    expect(inputs.under.store.sideEffects.ofRun(automationRunId(id))).toMatchObject([
      { effectId: arrived?.effectId, kind: 'outside.post', response: { ok: true } },
    ]);
  });

  it('[IG-11] an effect in the side effect ledger is answered from there and not sent, although no run has it', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    const { store, engine, outside } = under;
    engine.commands.pause(workflowId, '');
    const id = await inputs.start(workflowId, { n: 1 });
    const [eventId = ''] = store.inputChain.eventIds(id, 1);
    store.sideEffects.record({
      effectId: effectId(workflowId, 'post', [{ eventId, attempt: 1 }]),
      runIds: [automationRunId(id)],
      handlerRunId: 'a run of another device',
      kind: 'outside.post',
      provider: 'outside',
      response: { by: 'it' },
    });
    engine.commands.resume(workflowId);
    await inputs.idle();
    expect(outside.arrived).toEqual([]);
    expect(under.runs(workflowId).at(0)?.state.phase).toBe('committed');
    const [published] = store.inputChain.pending(id);
    expect(store.events.get(published?.id ?? '')?.payload).toEqual({
      status: 'applied',
      result: { by: 'it' },
    });
  });
});

describe('an input of a workflow that completes explicitly', () => {
  const explicit = (source: string): string =>
    source.replace('topics:', `completes: 'explicit', topics:`);

  it('[AR-18] fails when all of its work ended without ctx.complete, and says what to do', async () => {
    const inputs = startInputs();
    const { under } = inputs;
    const source = READ_POSTER.replace(
      `subscribes: 'out', async prepare() { return {}; }`,
      `subscribes: 'out',
      async prepare(ctx) { return { reservations: await ctx.peek('out') }; }`,
    );
    const workflowId = await under.add(explicit(source));
    under.store.grants.set(workflowId, 'outside', {});
    const id = await inputs.start(workflowId, { n: 1 });
    expect(under.outside.arrived).toHaveLength(1);
    expect(inputs.run(id).state).toMatchObject({
      status: 'failed',
      stage: 'finalize',
      reason: expect.stringMatching(/did not call ctx\.complete.*Settle the input, or call/),
    });
    // The same work drains the input of a workflow that doesn't ask for it.
    const other = await under.add(source.replace(/name: '[^']*'/, `name: 'drained'`), 'drained');
    under.store.grants.set(other, 'outside', {});
    const drained = await inputs.start(other, { n: 2 });
    expect(inputs.run(drained).state.status).toBe('succeeded');
  });

  it('[AR-18] succeeds by ctx.complete, also if the call came before it was executing', async () => {
    const inputs = startInputs();
    const { engine, store } = inputs.under;
    const id = await inputs.start(await inputs.under.add(explicit(COMPLETER)), 'yes');
    expect(inputs.run(id).state.status).toBe('succeeded');
    expect(store.automationRuns.completion(automationRunId(id))).toEqual({ said: 'yes' });

    const silent = await inputs.under.add(explicit(SILENT), 'silent');
    const early = inputs.put(silent);
    expect(engine.context.inputs.complete(early, 'early', { n: 1 }).type).toBe('rejected');
    await inputs.idle();
    expect(inputs.run(early).state.status).toBe('succeeded');
    const late = await inputs.start(silent);
    expect(inputs.run(late).state.status).toBe('failed');
  });

  it('[AR-18] that was skipped or set aside ends as before', () => {
    const work: WorkUnderInput = {
      isLeft: false,
      waitsForPerson: null,
      consumed: 1,
      setAside: 0,
      skipped: 0,
      hasSent: true,
      hasFollowed: true,
      hasCompletion: false,
    };
    const stepOf = (change: Partial<WorkUnderInput>): unknown =>
      deriveStep('running', null, { ...work, ...change }, () => 'explicit');
    expect(stepOf({})).toMatchObject({ type: 'fail', stage: 'finalize' });
    expect(stepOf({ setAside: 1 })).toMatchObject({ type: 'fail', stage: 'execute' });
    expect(stepOf({ consumed: 0, skipped: 1 })).toMatchObject({ type: 'skip' });
    expect(stepOf({ hasCompletion: true })).toEqual({ type: 'drained' });
    expect(deriveStep('running', null, work, () => 'drained')).toEqual({ type: 'drained' });
  });
});

describe('needs_human', () => {
  it('[AR-6] an input needs a person while an effect is indeterminate, and continues after it is settled', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    under.outside.answers.push(AMBIGUOUS);
    const id = await inputs.start(workflowId);
    expect(inputs.run(id).state).toMatchObject({
      status: 'needs_human',
      reason: expect.stringContaining('outcome is unknown'),
    });
    under.engine.decisions.settle('r', {
      mutationId: openEffect(inputs),
      workflowId,
      resolution: 'user_assert_applied',
      result: { by: 'hand' },
      note: undefined,
      isConfirmed: false,
    });
    await inputs.idle();
    expect(inputs.path(id)).toEqual([...WAY, 'needs_human', 'running']);
    // The asserted result is recorded like a response.
    expect(under.store.sideEffects.ofRun(automationRunId(id))).toMatchObject([
      { response: { by: 'hand' } },
    ]);
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[AR-6] an input needs no person while an effect is being checked, only after the check fails for good', async () => {
    const inputs = await poster(true);
    inputs.under.outside.answers.push(AMBIGUOUS);
    const id = await inputs.start(inputs.workflowId);
    expect(inputs.run(id).state.status).toBe('running');
    inputs.under.outside.reconciles.push({ type: 'unknown', error: 'gone', isFinal: true });
    await inputs.pass(60_000);
    expect(inputs.run(id).state.status).toBe('needs_human');
  });

  it('[AR-6] an input needs a person while a question is open', async () => {
    const inputs = startInputs();
    const asker = await inputs.under.add(ASKER, 'asker');
    const id = await inputs.start(asker);
    expect(inputs.run(id).state).toMatchObject({ reason: '"ask" asks a question.' });
    const [question] = inputs.under.store.mutations.byStatus('pending');
    inputs.under.engine.commands.answer(question?.id ?? '', 'yes');
    await inputs.idle();
    expect(inputs.path(id)).toEqual([...WAY, 'needs_human', 'running', 'succeeded']);
  });

  it('[AR-5] ctx.complete ends an input that needs a person for other work', async () => {
    const inputs = startInputs();
    const { engine } = inputs.under;
    const id = await inputs.start(await inputs.under.add(ASKER));
    expect(inputs.run(id).state.status).toBe('needs_human');
    expect(engine.context.inputs.complete(id, 'another run', { n: 1 }).type).toBe('moved');
    expect(inputs.path(id)).toEqual([...WAY, 'needs_human', 'running', 'succeeded']);
  });
});

describe('needs_human for a run that waits', () => {
  it('[AR-6] an input needs a person while a permission is missing, and continues once it is granted', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    under.store.grants.remove(workflowId, 'outside');
    const id = await inputs.start(workflowId);
    expect(inputs.run(id).state).toMatchObject({
      status: 'needs_human',
      reason: expect.stringMatching(/^"post" needs a permission: ./),
    });
    expect(under.outside.arrived).toEqual([]);
    under.library.grant(workflowId, 'outside', {});
    await inputs.idle();
    expect(inputs.path(id)).toEqual([...WAY, 'needs_human', 'running']);
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[AR-6] an input needs a person while its run cannot finish after its effect, and continues when it can', async () => {
    const inputs = startInputs();
    const { under } = inputs;
    const workflowId = await under.add(
      READ_POSTER.replace('return { last', 'throw new Error("broken"); return { last'),
    );
    const id = await inputs.start(workflowId);
    const broken = {
      status: 'needs_human',
      reason: expect.stringMatching(/^"post" can't finish its run: Error: broken/),
    };
    expect(inputs.run(id).state).toMatchObject(broken);
    await under.add(READ_POSTER);
    under.library.activate(workflowId);
    await inputs.idle();
    under.engine.commands.resume(workflowId);
    await inputs.idle();
    expect(inputs.path(id)).toEqual([...WAY, 'needs_human', 'running']);
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[AR-6] an input needs a person while its run waits after a failure of the sandbox', async () => {
    const inputs = startInputs();
    const { under } = inputs;
    const { store, engine } = under;
    const workflowId = await under.add(READ_POSTER);
    const real = engine.context.sandbox;
    Object.assign(engine.context, {
      sandbox: {
        run: (...[request, onCalls]: Parameters<typeof real.run>) =>
          request.entry.kind === 'consumer' && request.entry.method === 'next'
            ? Promise.resolve({
                type: 'failed',
                cause: 'sandbox',
                message: 'The thread ended.',
                stack: '',
                logs: [],
              })
            : real.run(request, onCalls),
        close: () => real.close(),
      },
    });
    const id = await inputs.start(workflowId);
    expect(under.runs(workflowId).map(({ state }) => state)).toMatchObject([
      { phase: 'suspended', reason: 'internal' },
    ]);
    expect(inputs.run(id).state).toMatchObject({
      status: 'needs_human',
      reason: '"post" can\'t finish its run: The thread ended.',
    });
    expect(store.workflows.get(workflowId)?.status).toBe('paused');
  });
});

describe('stopping an input', () => {
  it('[AR-7] an input with only pending events is skipped immediately', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    under.engine.commands.pause(workflowId, '');
    const id = await inputs.start(workflowId);
    const request = { kind: 'stop_input', inputId: id, as: 'skipped', reason: 'not ours' } as const;
    expect(under.engine.decisions.submit(workflowId, request).status).toBe('done');
    expect(inputs.run(id).state).toEqual({ status: 'skipped', reason: 'not ours' });
    under.engine.commands.resume(workflowId);
    await inputs.idle();
    expect(under.outside.arrived).toEqual([]);
    // A second request finds it ended.
    expect(under.engine.decisions.submit(workflowId, request).status).toBe('superseded');
  });

  it('[AR-7] an effect in flight is finished before the input is canceled; events after it are skipped', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    const held = holdAnswer(under.outside);
    const id = inputs.put(workflowId);
    await held.arrived;
    const request = { kind: 'stop_input', inputId: id, as: 'canceled', reason: 'stop' } as const;
    expect(under.engine.decisions.submit(workflowId, request).status).toBe('done');
    expect(inputs.run(id)).toMatchObject({
      state: { status: 'running' },
      stopping: { as: 'canceled' },
    });
    held.answer();
    await inputs.idle();
    expect(inputs.run(id).state).toEqual({ status: 'canceled', reason: 'stop' });
    expect(under.runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
    expect(under.store.inputChain.ends(id)).toEqual({ consumed: 1, skipped: 1, setAside: 0 });
  });

  it('[AR-7] an unknown outcome must be settled before the input is skipped', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    under.outside.answers.push(AMBIGUOUS);
    const id = await inputs.start(workflowId);
    under.engine.decisions.submit(workflowId, {
      kind: 'stop_input',
      inputId: id,
      as: 'skipped',
      reason: '',
    });
    expect(inputs.run(id).state.status).toBe('needs_human');
    const mutation = openEffect(inputs);
    under.engine.decisions.settle('r', {
      mutationId: mutation,
      workflowId,
      resolution: 'user_assert_failed',
      result: null,
      note: undefined,
      isConfirmed: false,
    });
    await inputs.idle();
    expect(inputs.run(id).state.status).toBe('skipped');
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[AR-7] an input stopped before enrichment ends immediately, and its stages do nothing', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    const id = inputs.put(workflowId);
    under.engine.decisions.submit(workflowId, {
      kind: 'stop_input',
      inputId: id,
      as: 'skipped',
      reason: '',
    });
    await inputs.idle();
    expect(inputs.path(id)).toEqual(['skipped']);
    expect(under.store.outbox.depth()).toBe(0);
    expect(under.store.inputChain.eventIds(id, 1)).toEqual([]);
  });
});

describe('settling an input', () => {
  it('[AR-8] a person settles a failed input once; the history keeps the failure', async () => {
    const inputs = startInputs();
    const { engine } = inputs.under;
    const workflowId = await inputs.under.add(BROKEN);
    const id = await inputs.start(workflowId);
    for (let n = 0; n < LOGIC_FAILURES_BEFORE_ASIDE; n += 1) await inputs.pass(RETRY_MAX_MS);
    const settle = (as: 'succeeded' | 'failed', reason: string) =>
      engine.decisions.submit(workflowId, { kind: 'settle_input', inputId: id, as, reason }).status;
    expect(settle('succeeded', 'I saw it')).toBe('done');
    expect(settle('succeeded', 'I saw it')).toBe('done');
    expect(settle('failed', 'or not')).toBe('superseded');
    expect(inputs.run(id).state).toMatchObject({ status: 'succeeded', settled: 'I saw it' });
    expect(inputs.path(id)).toEqual([...WAY, 'failed', 'succeeded']);
    const history = await inputs.under.store.runState.fetchEvents(automationRunId(id));
    expect(history.slice(-2)).toMatchObject([
      { eventType: 'automation.failed', payload: { reason: expect.stringContaining('set aside') } },
      {
        eventType: 'automation.succeeded',
        payload: {
          from: 'failed',
          actor: 'person',
          by: 'settle',
          as: 'succeeded',
          reason: 'I saw it',
        },
      },
    ]);
  });

  it('[AR-2] [AR-8] a person settles an input that timed out, once, as done or as failed', async () => {
    for (const as of ['succeeded', 'failed'] as const) {
      const inputs = await poster();
      const { under, workflowId } = inputs;
      under.engine.commands.pause(workflowId, '');
      const id = await inputs.start(workflowId);
      await inputs.pass(RUN_DEADLINE_MS);
      expect(inputs.run(id).state.status).toBe('timed_out');
      const settle = (reason: string) => under.engine.context.inputs.settle(id, as, reason).type;
      expect([settle('seen'), settle('seen'), settle('seen again')]).toEqual([
        'moved',
        'repeated',
        'rejected',
      ]);
      expect(inputs.run(id).state).toMatchObject({ status: as, settled: 'seen' });
      expect(inputs.path(id)).toEqual([...WAY, 'timed_out', as]);
    }
  });

  it('[AR-8] a running input cannot be settled', async () => {
    const inputs = await poster();
    const { engine } = inputs.under;
    const id = await inputs.start(inputs.workflowId);
    expect(engine.context.inputs.settle(id, 'failed', 'no').type).toBe('rejected');
    expect(inputs.run(id).state.status).toBe('running');
  });
});

describe('finalizer', () => {
  it('[AR-9] an input past its deadline is timed out, and its pending events are skipped', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    under.engine.commands.pause(workflowId, '');
    const id = await inputs.start(workflowId);
    await inputs.pass(RUN_DEADLINE_MS - INPUT_FINALIZER_MS);
    expect(inputs.run(id).state.status).toBe('running');
    await inputs.pass(2 * INPUT_FINALIZER_MS);
    expect(inputs.run(id).state).toMatchObject({ status: 'timed_out', stage: 'finalize' });
    under.engine.commands.resume(workflowId);
    await inputs.idle();
    expect(under.outside.arrived).toEqual([]);
  });

  it('[AR-9] an inactive input of an active workflow is timed out', async () => {
    const inputs = startInputs();
    const id = await inputs.start(await inputs.under.add(IDLER));
    await inputs.pass(RUN_INACTIVITY_MS / 2);
    expect(inputs.run(id).state.status).toBe('running');
    await inputs.pass(RUN_INACTIVITY_MS);
    expect(inputs.run(id).state).toMatchObject({ status: 'timed_out' });
  });

  it('[AR-9] an effect in flight is finished before the input is timed out', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    const held = holdAnswer(under.outside);
    const id = inputs.put(workflowId);
    await held.arrived;
    await under.store.clock.advance(RUN_DEADLINE_MS + INPUT_FINALIZER_MS);
    expect(inputs.run(id)).toMatchObject({ stopping: { as: 'timed_out' } });
    expect(inputs.run(id).state.status).toBe('running');
    held.answer();
    await inputs.idle();
    expect(inputs.run(id).state.status).toBe('timed_out');
    expect(
      under.store.mutations.get(mutationId(under.runs(workflowId)[0]?.id ?? '')),
    ).toMatchObject({
      state: { status: 'applied' },
    });
  });

  it('[AR-9] the deadline does not end an input that needs a person', async () => {
    const inputs = await poster();
    const { under, workflowId } = inputs;
    under.outside.answers.push(AMBIGUOUS);
    const second = await inputs.start(workflowId);
    await inputs.pass(RUN_DEADLINE_MS + INPUT_FINALIZER_MS);
    expect(inputs.run(second)).toMatchObject({ state: { status: 'needs_human' }, stopping: null });
    under.engine.decisions.settle('late', {
      mutationId: openEffect(inputs),
      workflowId,
      resolution: 'user_assert_applied',
      result: null,
      note: undefined,
      isConfirmed: false,
    });
    await inputs.idle();
    // The deadline has passed, but what follows the decision is finished first.
    expect(inputs.path(second)).toEqual([...WAY, 'needs_human', 'running']);
  });

  it('[AR-9] a running input without a first event fails', async () => {
    const inputs = await poster();
    const { store, engine } = inputs.under;
    const runs = engine.context.inputs;
    await inputs.pipeline.stop();
    const id = inputs.put(inputs.workflowId);
    const runId = automationRunId(id);
    for (const type of ['enrich', 'enriched', 'execute'] as const) {
      runs.move(runId, { actor: 'stage', event: { type } });
    }
    store.db.write(() => runs.deriveStatus(id));
    expect(inputs.run(id).state.status).toBe('running');
    await store.clock.advance(RUN_INACTIVITY_MS + 1);
    await inputs.pipeline.finalizer.pass();
    expect(inputs.run(id).state).toMatchObject({ status: 'failed', stage: 'execute' });
  });
});
