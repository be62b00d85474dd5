// Every input ends: reminders first, then a chosen end. Effects whose outcome is unknown stay so.
import { describe, expect, it } from 'vitest';
import { automationRunId } from '#shared/ids.ts';
import { finalStep, type UnfinishedInput } from '#shared/inputs/final-step.ts';
import {
  DEFAULT_NEEDS_HUMAN,
  dueReminder,
  durationInWords,
  endsAt,
  reminderTimes,
  type NeedsHuman,
} from '#shared/inputs/needs-human.ts';
import { INPUT_FINALIZER_MS, RUN_DEADLINE_MS, RUN_INACTIVITY_MS } from '#shared/limits.ts';
import { needsHumanOf, saveNeedsHuman } from '#main/input-lifecycle/needs-human-rule.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchangeAll, holdAnswer, send, startDevices } from '#test/support/start-devices.ts';
import type { EngineUnderTest } from '#test/support/start-engine.ts';
import { READ_POSTER, startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AMBIGUOUS = { type: 'ambiguous', error: 'The answer was lost.' } as const;

const waiting = (source: string, rule: string): string =>
  source.replace('consumers: {', `needsHuman: ${rule}, consumers: {`);

/** Waits six hours for a person; reminders after one, two, four and five. */
const RULE = `{ remind: '1h', within: '6h' }`;
const WAITER = waiting(READ_POSTER, RULE);

const asker = (rule: string): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Asker', uses: { ask: {} }, topics: ['in'], needsHuman: ${rule},
  consumers: { ask: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event] } : {};
    },
    async mutate(ctx) { await ctx.tools.ask.question({ question: 'Well?' }); },
  } },
});`;

/** Takes the first event, and leaves the second one pending. */
const LEAVER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Leaver', topics: ['in', 'more'],
  consumers: {
    take: {
      subscribes: 'in', publishes: ['more'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event] } : {};
      },
      async next(ctx) { await ctx.publish('more', { id: 'm', title: 'More' }); },
    },
    look: { subscribes: 'more', async prepare() { return {}; } },
  },
});`;

async function unknownOutcome(
  source = WAITER,
): Promise<InputsUnderTest & { workflowId: string; id: string }> {
  const inputs = startInputs();
  const workflowId = await inputs.under.add(source);
  inputs.under.store.grants.set(workflowId, 'outside', {});
  inputs.under.outside.answers.push(AMBIGUOUS);
  const id = await inputs.start(workflowId, { n: 1 });
  expect(inputs.run(id).state.status).toBe('needs_human');
  return { ...inputs, workflowId, id };
}

const openEffect = ({ under }: InputsUnderTest): string =>
  under.store.mutations.byStatus('indeterminate')[0]?.id ?? '';

function settle(
  inputs: InputsUnderTest & { workflowId: string },
  resolution: 'user_assert_applied' | 'user_assert_failed',
): void {
  inputs.under.engine.decisions.settle('r', {
    mutationId: openEffect(inputs),
    workflowId: inputs.workflowId,
    resolution,
    result: null,
    note: undefined,
    isConfirmed: false,
  });
}

const historyOf = ({ under }: InputsUnderTest, id: string): Promise<string[]> =>
  under.store.runState
    .fetchEvents(automationRunId(id))
    .then((events) => events.map(({ eventType }) => eventType.replace('automation.', '')));

const stop = ({ under }: InputsUnderTest, workflowId: string, id: string, reason = ''): string =>
  under.engine.decisions.submit(workflowId, {
    kind: 'stop_input',
    inputId: id,
    as: 'canceled',
    reason,
  }).status;

describe('the rule of a wait', () => {
  const rule = (remind: string, within: string): NeedsHuman => ({
    ...DEFAULT_NEEDS_HUMAN,
    remind,
    within,
  });

  it('[AR-16] reminders come after twice the time each, and once shortly before the end', () => {
    const days = reminderTimes(DEFAULT_NEEDS_HUMAN).map((at) => at / DAY);
    expect(days).toEqual([1, 2, 4, 8, 16, 29]);
    expect(reminderTimes(rule('1h', '6h')).map((at) => at / HOUR)).toEqual([1, 2, 4, 5]);
    // A reminder comes before every end.
    expect(reminderTimes(rule('5d', '2d')).map((at) => at / DAY)).toEqual([1]);
  });

  it('[AR-15] a workflow that says nothing waits 30 days, and then its input is timed out', () => {
    const inputs = startInputs();
    expect(needsHumanOf(inputs.under.store, 'any')).toEqual({
      remind: '1d',
      within: '30d',
      otherwise: 'timed_out',
    });
  });

  it('[AR-16] a reminder is due once, and those that were missed count as one', () => {
    const last = (number: number) => ({ number, at: 0 });
    expect(dueReminder(DEFAULT_NEEDS_HUMAN, DAY - 1, null)).toBeNull();
    expect(dueReminder(DEFAULT_NEEDS_HUMAN, DAY, null)).toBe(1);
    expect(dueReminder(DEFAULT_NEEDS_HUMAN, DAY, last(1))).toBeNull();
    expect(dueReminder(DEFAULT_NEEDS_HUMAN, 9 * DAY, last(1))).toBe(4);
  });

  it('[AR-16] a late reminder delays the end', () => {
    expect(endsAt(DEFAULT_NEEDS_HUMAN, 30 * DAY, null)).toBe(30 * DAY);
    expect(endsAt(DEFAULT_NEEDS_HUMAN, 30 * DAY, { number: 6, at: 29 * DAY })).toBe(30 * DAY);
    expect(endsAt(DEFAULT_NEEDS_HUMAN, 30 * DAY, { number: 6, at: 50 * DAY })).toBe(51 * DAY);
  });

  it('[AR-16] durations are shown in words', () => {
    expect([durationInWords('1d'), durationInWords('36h')]).toEqual(['1 day', '36 hours']);
  });
});

describe('finalStep', () => {
  const running: UnfinishedInput = {
    status: 'running',
    reason: '',
    stopping: null,
    wait: null,
    now: RUN_INACTIVITY_MS,
    deadlineAt: RUN_DEADLINE_MS,
    isWorkflowActive: () => true,
    lastActivityAt: () => 0,
    session: () => 'none',
    isFirstEventMissing: () => false,
  };

  it('[AR-9] inactivity without a session times out; with a session that ended it fails; an active one is left alone', () => {
    expect(finalStep(running)).toMatchObject({ type: 'stop', as: 'timed_out' });
    expect(finalStep({ ...running, session: () => 'ended' })).toMatchObject({
      type: 'stop',
      as: 'failed',
      reason: expect.stringContaining('session that worked on it ended without completing it'),
    });
    expect(finalStep({ ...running, session: () => 'active' })).toBeNull();
    expect(finalStep({ ...running, isWorkflowActive: () => false })).toBeNull();
    expect(finalStep({ ...running, lastActivityAt: () => 1 })).toBeNull();
    expect(finalStep({ ...running, isFirstEventMissing: () => true })?.type).toBe('fail');
  });

  it('[AR-9] the deadline ends every unfinished status, also in an active session', () => {
    for (const status of ['queued', 'enriching', 'ready', 'running'] as const) {
      const late = { ...running, status, now: RUN_DEADLINE_MS, session: () => 'active' as const };
      expect(finalStep(late)).toMatchObject({ type: 'stop', as: 'timed_out' });
      if (status !== 'running') expect(finalStep({ ...running, status })).toBeNull();
    }
  });

  it('[AR-15] a wait ends only after its reminder', () => {
    const wait = { rule: DEFAULT_NEEDS_HUMAN, endsAt: 5, otherwise: 'failed' } as const;
    const asks = { ...running, status: 'needs_human', reason: 'Well?', now: 5 } as const;
    expect(finalStep({ ...asks, wait: { ...wait, reminders: 0, due: 1 } })).toEqual({
      type: 'remind',
      number: 1,
    });
    expect(finalStep({ ...asks, wait: { ...wait, reminders: 0, due: null } })).toBeNull();
    expect(finalStep({ ...asks, wait: { ...wait, reminders: 1, due: null } })).toEqual({
      type: 'end',
      as: 'failed',
      reason: 'Nobody acted within 30 days: Well?',
    });
    expect(finalStep({ ...asks, now: 4, wait: { ...wait, reminders: 1, due: null } })).toBeNull();
  });
});

describe('an input that needs a person', () => {
  it('[AR-15] [AR-16] is reminded of, then ends as timed out, while its effect stays indeterminate', async () => {
    const inputs = await unknownOutcome();
    const { under, id } = inputs;
    const told: string[] = [];
    const stopListening = under.store.db.changes.subscribe((changes) => {
      told.push(...(changes.get('automation_runs') ?? []));
    });
    await inputs.pass(HOUR + INPUT_FINALIZER_MS);
    expect((await historyOf(inputs, id)).filter((type) => type === 'reminded')).toHaveLength(1);
    // The window and the notifications reload.
    expect(told).toEqual([automationRunId(id)]);
    stopListening();
    await inputs.pass(4 * HOUR);
    expect(inputs.run(id).state.status).toBe('needs_human');
    expect((await historyOf(inputs, id)).filter((type) => type === 'reminded')).toHaveLength(4);
    await inputs.pass(HOUR + INPUT_FINALIZER_MS);
    expect(inputs.run(id).state).toMatchObject({
      status: 'timed_out',
      stage: 'finalize',
      reason: expect.stringMatching(
        /^Nobody acted within 6 hours: .*outcome is unknown.*\(outside\.post\) is unknown and can still be settled in the inbox\.$/,
      ),
    });
    expect(under.store.mutations.get(openEffect(inputs))?.state.status).toBe('indeterminate');
    expect(await historyOf(inputs, id)).toEqual([
      'enriching',
      'ready',
      'running',
      'needs_human',
      ...Array(4).fill('reminded'),
      'stop_requested',
      'timed_out',
    ]);
    // Nothing else happens to it.
    const { moves } = inputs.run(id);
    await inputs.pass(7 * HOUR);
    expect(inputs.run(id).moves).toBe(moves);
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[AR-15] ends as the workflow chose, or as set on the device that runs it', async () => {
    const chosen = await unknownOutcome(
      waiting(READ_POSTER, `{ remind: '1h', within: '2h', otherwise: 'failed' }`),
    );
    const set = startInputs();
    saveNeedsHuman(set.under.store, { remind: '1h', within: '2h', otherwise: 'failed' });
    const workflowId = await set.under.add(READ_POSTER);
    set.under.store.grants.set(workflowId, 'outside', {});
    set.under.outside.answers.push(AMBIGUOUS);
    const id = await set.start(workflowId);
    await chosen.pass(2 * HOUR + 2 * INPUT_FINALIZER_MS);
    await set.pass(2 * HOUR + 2 * INPUT_FINALIZER_MS);
    expect(chosen.run(chosen.id).state).toMatchObject({ status: 'failed', stage: 'finalize' });
    expect(set.run(id).state).toMatchObject({ status: 'failed', stage: 'finalize' });
  });

  it('[AR-15] a question that nobody answers is withdrawn, and the workflow goes on', async () => {
    const inputs = startInputs();
    const workflowId = await inputs.under.add(asker(`{ remind: '1h', within: '2h' }`));
    const id = await inputs.start(workflowId);
    await inputs.pass(2 * HOUR + 2 * INPUT_FINALIZER_MS);
    expect(inputs.run(id).state).toMatchObject({
      status: 'timed_out',
      reason: 'Nobody acted within 2 hours: "ask" asks a question.',
    });
    expect(inputs.under.store.mutations.byStatus('pending')).toEqual([]);
    const next = await inputs.start(workflowId);
    expect(inputs.run(next).state.status).toBe('needs_human');
  });

  it('[AR-16] a rule that changes does not change a wait that has begun', async () => {
    const inputs = startInputs();
    const { add, store, outside } = inputs.under;
    saveNeedsHuman(store, { remind: '1h', within: '2h', otherwise: 'failed' });
    const workflowId = await add(READ_POSTER);
    store.grants.set(workflowId, 'outside', {});
    outside.answers.push(AMBIGUOUS);
    const id = await inputs.start(workflowId);
    saveNeedsHuman(store, DEFAULT_NEEDS_HUMAN);
    await inputs.pass(2 * HOUR + 2 * INPUT_FINALIZER_MS);
    expect(inputs.run(id).state).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^Nobody acted within 2 hours: /),
    });
  });

  it('[AR-9] the deadline does not count the wait for an answer', async () => {
    const inputs = startInputs();
    const workflowId = await inputs.under.add(asker(`{ remind: '1h', within: '6h' }`));
    const id = await inputs.start(workflowId);
    const { deadlineAt } = inputs.run(id);
    await inputs.pass(3 * HOUR);
    const [question] = inputs.under.store.mutations.byStatus('pending');
    inputs.under.engine.commands.answer(question?.id ?? '', 'yes');
    await inputs.idle();
    expect(inputs.run(id).state.status).toBe('succeeded');
    expect(inputs.run(id).deadlineAt).toBe(deadlineAt + 3 * HOUR);
  });

  it('[AR-16] after the host was off, a person is reminded before the end', async () => {
    const inputs = await unknownOutcome();
    await inputs.pipeline.finalizer.stop();
    await inputs.under.store.clock.advance(12 * HOUR);
    inputs.pipeline.finalizer.start();
    await inputs.idle();
    expect(inputs.run(inputs.id).state.status).toBe('needs_human');
    expect((await historyOf(inputs, inputs.id)).at(-1)).toBe('reminded');
    await inputs.pass(HOUR + INPUT_FINALIZER_MS);
    expect(inputs.run(inputs.id).state.status).toBe('timed_out');
  });
});

describe('an answer after the end', () => {
  it('[AR-17] settles the effect and its run; what follows is skipped, and the end stays until a person settles it', async () => {
    const inputs = await unknownOutcome();
    const { under, workflowId, id } = inputs;
    await inputs.pass(6 * HOUR + 2 * INPUT_FINALIZER_MS);
    settle(inputs, 'user_assert_applied');
    await inputs.idle();
    expect(under.runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
    expect(under.store.inputChain.ends(id)).toEqual({ consumed: 1, skipped: 1, setAside: 0 });
    expect(inputs.run(id).state.status).toBe('timed_out');
    expect((await historyOf(inputs, id)).at(-1)).toBe('late_end');
    expect(under.outside.arrived).toHaveLength(1);
    // A rerun by a person is not skipped.
    const skipped = under.store.db.value<string>(`SELECT id FROM events WHERE status = 'skipped'`);
    under.engine.commands.rerunEvent(skipped ?? '');
    await inputs.idle();
    expect(under.store.events.get(skipped ?? '')?.state.status).toBe('pending');
    const settled = { kind: 'settle_input', inputId: id, as: 'succeeded', reason: 'seen' } as const;
    expect(under.engine.decisions.submit(workflowId, settled).status).toBe('done');
    expect(inputs.run(id).state).toMatchObject({ status: 'succeeded', settled: 'seen' });
  });

  it('[AR-17] that it did not happen sends nothing again', async () => {
    const inputs = await unknownOutcome();
    const { under, id } = inputs;
    await inputs.pass(6 * HOUR + 2 * INPUT_FINALIZER_MS);
    settle(inputs, 'user_assert_failed');
    await inputs.idle();
    expect(under.outside.arrived).toHaveLength(1);
    expect(under.store.inputChain.ends(id)).toEqual({ consumed: 0, skipped: 1, setAside: 0 });
    expect(inputs.run(id).state.status).toBe('timed_out');
  });
});

describe('a stopping input', () => {
  it('[AR-15] ends as canceled in time, and names the effect that is open', async () => {
    const inputs = await unknownOutcome();
    const { under, workflowId, id } = inputs;
    expect(stop(inputs, workflowId, id, 'no more')).toBe('done');
    await inputs.pass(5 * HOUR);
    expect(inputs.run(id).state.status).toBe('needs_human');
    await inputs.pass(HOUR + 2 * INPUT_FINALIZER_MS);
    expect(inputs.run(id).state).toEqual({
      status: 'canceled',
      reason:
        'no more. The outcome of "post" (outside.post) is unknown and can still be settled in the inbox.',
    });
    expect(under.store.mutations.byStatus('indeterminate')).toHaveLength(1);
    settle(inputs, 'user_assert_failed');
    await inputs.idle();
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[AR-15] whose effect is in flight ends in time, and the effect goes on to its outcome', async () => {
    const inputs = startInputs();
    const { under } = inputs;
    const workflowId = await under.add(WAITER);
    under.store.grants.set(workflowId, 'outside', {});
    const held = holdAnswer(under.outside);
    const id = inputs.put(workflowId);
    await held.arrived;
    stop(inputs, workflowId, id);
    await under.store.clock.advance(5 * HOUR);
    expect(inputs.run(id).state.status).toBe('running');
    await under.store.clock.advance(HOUR + INPUT_FINALIZER_MS);
    expect(inputs.run(id).state).toEqual({
      status: 'canceled',
      reason: 'The outcome of "post" (outside.post) is not known yet and is still being checked.',
    });
    held.answer();
    await inputs.idle();
    expect(under.store.mutations.byStatus('applied')).toHaveLength(1);
    expect(under.store.inputChain.ends(id)).toEqual({ consumed: 1, skipped: 1, setAside: 0 });
    expect(inputs.run(id).state.status).toBe('canceled');
  });
});

describe('the session of an input', () => {
  async function left(): Promise<InputsUnderTest & { id: string }> {
    const inputs = startInputs();
    const id = await inputs.start(await inputs.under.add(LEAVER));
    expect(inputs.run(id).state.status).toBe('running');
    return { ...inputs, id };
  }

  it('[AR-9] an input whose session ended without completing it fails after the time of inactivity', async () => {
    const inputs = await left();
    // The next pass after the time, without every timer in between.
    await inputs.pass(60_000);
    await inputs.pipeline.stop();
    await inputs.under.engine.stop();
    await inputs.under.store.clock.advance(RUN_INACTIVITY_MS - 60_001);
    await inputs.pipeline.finalizer.pass();
    expect(inputs.run(inputs.id).state.status).toBe('running');
    await inputs.under.store.clock.advance(1);
    await inputs.pipeline.finalizer.pass();
    expect(inputs.run(inputs.id).state).toMatchObject({ status: 'failed', stage: 'finalize' });
    expect(inputs.under.store.inputChain.ends(inputs.id)).toMatchObject({ skipped: 1 });
  });

  it('[AR-9] an input with an active session is left alone', async () => {
    const inputs = await left();
    const { store } = inputs.under;
    const session = store.inputChain.lastSession(inputs.id);
    expect(store.scriptRuns.get(session ?? '')?.state.status).toBe('running');
    inputs.under.kill();
    await inputs.pipeline.stop();
    // The session stays active: its engine does nothing more.
    Object.assign(store.clock, { now: () => Date.UTC(2026, 0, 1) + RUN_INACTIVITY_MS + 60_000 });
    await inputs.pipeline.finalizer.pass();
    expect(inputs.run(inputs.id).state.status).toBe('running');
    store.runContexts.finishRun({
      runId: session ?? '',
      status: 'completed',
      terminalEventId: 'end',
    });
    await inputs.pipeline.finalizer.pass();
    expect(inputs.run(inputs.id).state.status).toBe('failed');
  });
});

describe('an input with two sessions', () => {
  it('[AR-9] is left alone while the second one is active', async () => {
    const inputs = startInputs();
    const { store, engine } = inputs.under;
    const workflowId = await inputs.under.add(LEAVER);
    const id = await inputs.start(workflowId);
    await inputs.pass(60_000);
    const [first] = store.inputChain.eventIds(id, 1);
    engine.commands.rerunEvent(first ?? '');
    await inputs.idle();
    const second = store.inputChain.lastSession(id);
    expect(second).not.toBe(inputs.run(id).session?.id);
    expect(store.scriptRuns.get(second ?? '')?.state.status).toBe('running');
    inputs.under.kill();
    await inputs.pipeline.stop();
    const later = store.clock.now() + RUN_INACTIVITY_MS;
    Object.assign(store.clock, { now: () => later });
    await inputs.pipeline.finalizer.pass();
    expect(inputs.run(id).state.status).toBe('running');
  });
});

describe('on two devices', () => {
  async function pair(): Promise<{
    all: readonly EngineUnderTest[];
    a: InputsUnderTest;
    b: InputsUnderTest;
    workflowId: string;
    id: string;
  }> {
    const { all, workflowId } = await startDevices(['a', 'b'], { source: WAITER });
    const [first, second] = all as [EngineUnderTest, EngineUnderTest];
    const [a, b] = [startInputs({ under: first }), startInputs({ under: second })];
    first.outside.answers.push(AMBIGUOUS);
    const id = await a.start(workflowId);
    expect(a.run(id).state.status).toBe('needs_human');
    await exchangeAll(all);
    return { all, a, b, workflowId, id };
  }

  it('[AR-10] [AR-15] only the owner reminds and ends, and both devices hold the same rows', async () => {
    const { all, a, b, id } = await pair();
    await b.pass(7 * HOUR);
    expect(b.run(id).state.status).toBe('needs_human');
    expect(await historyOf(b, id)).not.toContain('reminded');
    await a.pass(7 * HOUR);
    expect(a.run(id).state.status).toBe('timed_out');
    await exchangeAll(all);
    expect(b.run(id).state).toEqual(a.run(id).state);
    expect(dumpRows(a.under.store.db)).toEqual(dumpRows(b.under.store.db));
  });

  it('[AR-10] [AR-15] after a hand-over the new owner continues the time, and a late answer there skips what follows', async () => {
    const { all, a, b, workflowId, id } = await pair();
    await a.pass(3 * HOUR);
    await b.pass(3 * HOUR);
    const epoch = a.under.store.ownership.epoch(workflowId) ?? 0;
    a.under.engine.decisions.submit(workflowId, { kind: 'handover', toDeviceId: 'b', epoch });
    await exchangeAll(all);
    expect(b.under.store.ownership.epoch(workflowId)).not.toBeNull();
    expect(b.run(id).state.status).toBe('needs_human');
    await a.pass(4 * HOUR);
    expect(a.run(id).state.status).toBe('needs_human');
    await b.pass(4 * HOUR);
    expect(b.run(id).state.status).toBe('timed_out');
    // Reminders 1 and 2 by a, 3 and 4 by b.
    expect((await historyOf(b, id)).filter((type) => type === 'reminded')).toHaveLength(4);
    settle({ ...b, workflowId }, 'user_assert_applied');
    await b.idle();
    await exchangeAll(all);
    expect(b.under.store.inputChain.ends(id)).toMatchObject({ skipped: 1 });
    expect(dumpRows(a.under.store.db)).toEqual(dumpRows(b.under.store.db));
    expect(a.under.outside.arrived).toHaveLength(1);
  });

  it('[AR-10] [AR-15] two owners that both ended it converge to one of the ends', async () => {
    const { all, a, b, workflowId, id } = await pair();
    const [first, second] = all as [EngineUnderTest, EngineUnderTest];
    b.under.engine.ownership.takeOver(workflowId);
    await b.idle();
    stop(a, workflowId, id, 'by a');
    await a.pass(7 * HOUR);
    await b.pass(14 * HOUR);
    expect(a.run(id).state.status).toBe('canceled');
    expect(b.run(id).state.status).toBe('timed_out');
    await send(first, second);
    await exchangeAll(all);
    expect(['canceled', 'timed_out']).toContain(a.run(id).state.status);
    expect(dumpRows(a.under.store.db)).toEqual(dumpRows(b.under.store.db));
  });
});
