import { describe, expect, it } from 'vitest';
import { afterRun, dueSlots, firstSlot, nextSlot } from '#main/engine/lane/schedules.ts';
import type { ReadOutcome } from '#main/tools/tool.ts';
import { startEngine } from '#test/support/start-engine.ts';

const producer = (
  schedule: string,
  run = `
  const n = (state?.n ?? 0) + 1;
  await ctx.publish('found', { id: 'f' + n, title: 'Found ' + n, payload: n });
  return { n };`,
): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Finder', uses: { outside: {} }, topics: ['found'],
  producers: { find: { schedule: ${schedule}, publishes: ['found'], async run(ctx, state) { ${run} } } },
  consumers: { take: { subscribes: 'found', publishes: [], async prepare(ctx) {
    const [event] = await ctx.peek('found', { limit: 1 });
    return { reservations: event ? [event] : [] };
  } } },
});`;

describe('producers', () => {
  it('[EN-5] an interval runs at once and then at each slot, with its state and its published event', async () => {
    const { add, runs, pass, store } = startEngine();
    const begun = store.clock.now();
    const workflowId = await add(producer(`{ every: '10m' }`));
    const names = (): string[] => runs(workflowId).map(({ handlerName }) => handlerName);
    expect(names()).toEqual(['find', 'take']);
    expect(store.producerSchedules.of(workflowId)).toMatchObject([
      { producer: 'find', nextRunAt: begun + 600_000, lastSlotAt: begun },
    ]);
    expect(store.handlerState.get(workflowId, 'find')?.state).toEqual({ n: 1 });
    await pass(599_999);
    expect(names().length).toBe(2);
    await pass(1);
    expect(names()).toEqual(['find', 'take', 'find', 'take']);
    expect(store.handlerState.get(workflowId, 'find')?.state).toEqual({ n: 2 });
  });

  it('[EN-3] consumers and producers that are due take turns, a consumer first', async () => {
    const { add, engine, idle, store, runs, publish } = startEngine();
    const workflowId = await add(producer(`{ every: '10m' }`));
    engine.commands.pause(workflowId, '');
    for (const id of ['1', '2', '3']) await publish(workflowId, 'found', id);
    await store.clock.advance(600_000);
    engine.commands.resume(workflowId);
    await idle();
    expect(
      runs(workflowId)
        .map(({ handlerName }) => handlerName)
        .slice(2),
    ).toEqual(['take', 'find', 'take', 'take', 'take']);
  });

  it('[EN-37] a producer that is always due again does not keep its sibling from running', async () => {
    const { add, engine, idle, store, runs } = startEngine();
    const every = (time: string): string =>
      `{ schedule: { every: '${time}' }, publishes: [], async run() {} }`;
    const workflowId = await add(`
      import { workflow } from 'holdfast';
      export default workflow({
        name: 'Siblings', topics: [], consumers: {},
        producers: { always: ${every('11m')}, seldom: ${every('10m')} },
      });`);
    engine.commands.pause(workflowId, '');
    await store.clock.advance(660_000);
    engine.commands.resume(workflowId);
    await idle();
    expect(
      runs(workflowId)
        .map(({ handlerName }) => handlerName)
        .slice(2),
    ).toEqual(['seldom', 'always']);
  });

  it('[EN-5] slots missed while stopped run once, and the run log records the others', async () => {
    const first = startEngine();
    const workflowId = await first.add(producer(`{ every: '10m' }`));
    await first.engine.stop();
    await first.store.clock.advance(35 * 60_000);
    const second = first.restart();
    await second.idle();
    const finds = second.runs(workflowId).filter(({ handlerName }) => handlerName === 'find');
    expect(finds.length).toBe(2);
    const log = await second.store.runState.fetchEvents(finds[1]?.id ?? '');
    expect(log[0]).toMatchObject({
      eventType: 'schedule.missed',
      payload: { slots: { length: 2 } },
    });
  });

  async function passWhileReading({
    clock,
  }: ReturnType<typeof startEngine>['store']): Promise<ReadOutcome> {
    await clock.advance(25 * 60_000);
    return { type: 'ok', result: {} };
  }

  const slow = (overlap: string): string =>
    producer(`{ every: '10m', overlap: '${overlap}' }`, 'await ctx.tools.outside.get({});');

  it("[EN-36] with overlap: 'skip' a slot during the run does not run, and the run log records it", async () => {
    const { add, runs, pass, store, outside } = startEngine();
    const begun = store.clock.now();
    outside.reads.push(() => passWhileReading(store));
    const workflowId = await add(slow('skip'));
    expect(runs(workflowId).map(({ handlerName }) => handlerName)).toEqual(['find']);
    expect(store.producerSchedules.of(workflowId)).toMatchObject([
      { nextRunAt: begun + 30 * 60_000, lastSlotAt: begun },
    ]);
    const log = await store.runState.fetchEvents(runs(workflowId)[0]?.id ?? '');
    expect(log).toMatchObject([
      {
        eventType: 'schedule.missed',
        payload: { slots: [begun + 600_000, begun + 1_200_000] },
      },
    ]);
    await pass(5 * 60_000);
    expect(runs(workflowId).length).toBe(2);
  });

  it("[EN-36] with overlap: 'coalesce' the slots during the run run once, right after it", async () => {
    const { add, runs, store, outside } = startEngine();
    outside.reads.push(() => passWhileReading(store));
    const workflowId = await add(slow('coalesce'));
    expect(runs(workflowId).length).toBe(2);
  });

  it('[EN-5] "run now" does not change the schedule, and a repeated request runs once', async () => {
    const { add, runs, engine, idle, store } = startEngine();
    const workflowId = await add(producer(`{ every: '10m' }`));
    const before = store.producerSchedules.of(workflowId);
    engine.commands.runNow(workflowId, 'find', 'click-1');
    engine.commands.runNow(workflowId, 'find', 'click-1');
    await idle();
    expect(runs(workflowId).filter(({ handlerName }) => handlerName === 'find').length).toBe(2);
    expect(store.producerSchedules.of(workflowId)).toEqual(before);
  });

  it('[EN-5] only a changed schedule gets a new next time', async () => {
    const { add, library, store, idle, pass } = startEngine();
    const workflowId = await add(producer(`{ every: '10m' }`));
    await pass(60_000);
    const before = store.producerSchedules.of(workflowId);
    await add(producer(`{ every: '10m' }`, 'return { other: true };'));
    library.activate(workflowId);
    await idle();
    expect(store.producerSchedules.of(workflowId)).toEqual(before);
    await add(producer(`{ cron: '0 9 * * *', timezone: 'Europe/Berlin' }`));
    library.activate(workflowId);
    await idle();
    expect(store.producerSchedules.of(workflowId)).toMatchObject([
      { nextRunAt: Date.UTC(2026, 0, 1, 8) },
    ]);
  });

  it.each([
    ['an interval', `{ every: '10s' }`, 10_000],
    ['a cron', `{ cron: '* * * * *' }`, 120_000],
  ])(
    '[EN-38] a clock that is set back a day does not silence %s, running or restarted',
    async (_what, schedule, longest) => {
      const first = startEngine();
      const workflowId = await first.add(producer(schedule));
      await first.pass(60_000);
      const finds = (): number =>
        first.runs(workflowId).filter(({ handlerName }) => handlerName === 'find').length;
      let before = finds();
      await first.store.clock.advance(-86_400_000);
      first.engine.wake(workflowId);
      await first.idle();
      expect(finds(), 'not at once').toBe(before);
      await first.pass(longest);
      expect(finds(), 'while running').toBeGreaterThan(before);
      before = finds();
      await first.engine.stop();
      await first.store.clock.advance(-86_400_000);
      const second = first.restart();
      await second.idle();
      await second.pass(longest);
      expect(finds(), 'after a restart').toBeGreaterThan(before);
    },
  );

  it('[EN-38] a clock that is corrected by a second right after a slot does not repeat the slot', async () => {
    const { add, runs, pass, store, engine, idle } = startEngine();
    const workflowId = await add(producer(`{ cron: '0 0 * * *' }`));
    await pass(86_400_000);
    expect(runs(workflowId).length).toBe(2);
    await store.clock.advance(-1000);
    engine.wake(workflowId);
    await idle();
    await pass(86_400_000 - 1000);
    expect(runs(workflowId).length).toBe(2);
    await pass(2000);
    expect(runs(workflowId).length).toBe(4);
  });

  it('[EN-38] a backoff that lies further ahead than any backoff is over', async () => {
    const { add, runs, outside, store, engine, idle } = startEngine();
    outside.reads.push({ type: 'failed', errorType: 'network', error: 'offline' });
    const read = `const { n } = await ctx.tools.outside.get({}); return { n };`;
    const workflowId = await add(producer(`{ every: '10m' }`, read));
    await store.clock.advance(-172_800_000);
    engine.wake(workflowId);
    await idle();
    await store.clock.advance(600_000);
    await idle();
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
  });

  it('[EN-7] a failed producer run is retried after its backoff, then the schedule advances', async () => {
    const { add, runs, outside, pass, store } = startEngine();
    outside.reads.push({ type: 'failed', errorType: 'network', error: 'offline' });
    const workflowId = await add(
      producer(`{ every: '10m' }`, `const { n } = await ctx.tools.outside.get({}); return { n };`),
    );
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed']);
    await pass(1000);
    expect(runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
    expect(store.producerSchedules.of(workflowId)[0]?.nextRunAt).toBeGreaterThan(store.clock.now());
  });

  it('[EN-6] a producer that fails publishes nothing, saves no state and pauses the workflow', async () => {
    const { add, store, runs } = startEngine();
    const workflowId = await add(
      producer(
        `{ every: '10m' }`,
        `await ctx.publish('found', { id: 'x', title: 'x' }); throw new Error('late');`,
      ),
    );
    expect(runs(workflowId)[0]?.state).toMatchObject({ phase: 'failed', errorType: 'logic' });
    expect(store.events.peek(store.topics.ensure(workflowId, 'found').id, 5)).toEqual([]);
    expect(store.handlerState.get(workflowId, 'find')).toBeUndefined();
    expect(store.workflows.get(workflowId)).toMatchObject({ status: 'paused' });
  });
});

describe('output over a limit', () => {
  it.each([
    ['publish', `await ctx.publish('other', { id: 'x', title: 'X' });`],
    [
      'register an input',
      `await ctx.registerInput({ source: 's', type: 't', id: 'x', title: 'X', topic: 'other', payload: 1 });`,
    ],
  ])(
    '[EN-6] a producer that would %s in an undeclared topic fails with a logic error and writes nothing',
    async (_, run) => {
      const { add, runs, store } = startEngine();
      const workflowId = await add(producer(`{ every: '10m' }`, run));
      expect(runs(workflowId)[0]?.state).toMatchObject({
        phase: 'failed',
        errorType: 'logic',
        error: expect.stringContaining(`doesn't list "other" in "publishes"`),
      });
      for (const table of ['events', 'trigger_events']) {
        expect(store.db.value(`SELECT count(*) FROM ${table}`), table).toBe(0);
      }
    },
  );

  it('[EN-6] a state over the limit fails the run, and its events are not published', async () => {
    const { add, store, runs } = startEngine();
    const workflowId = await add(
      producer(
        `{ every: '10m' }`,
        `await ctx.publish('found', { id: 'x', title: 'x' }); return 'x'.repeat(300_000);`,
      ),
    );
    expect(runs(workflowId).map(({ state }) => state)).toMatchObject([
      { phase: 'failed', error: expect.stringContaining('previous state is unchanged') as string },
    ]);
    expect(store.events.peek(store.topics.ensure(workflowId, 'found').id, 5)).toEqual([]);
  });
});

describe('slots', () => {
  const HOUR = 3_600_000;
  const hourly = { every: '1h' };
  const now = Date.UTC(2026, 0, 1, 12, 30);

  it('[EN-5] the first slot of an interval is now, that of a cron its next match', () => {
    expect(firstSlot(hourly, now)).toBe(now);
    expect(firstSlot({ cron: '0 * * * *', timezone: 'UTC' }, now)).toBe(now + HOUR / 2);
  });

  it('[EN-5] missed slots: the latest by default, none or all by choice', () => {
    const next = now - 3.5 * HOUR;
    const slots = [next, next + HOUR, next + 2 * HOUR, next + 3 * HOUR];
    expect(dueSlots(hourly, next, now)).toEqual({
      slot: slots[3],
      missed: slots.slice(0, 3),
      next: now + HOUR / 2,
    });
    expect(dueSlots({ ...hourly, missed: 'none' }, next, now)).toEqual({
      slot: null,
      missed: slots,
      next: now + HOUR / 2,
    });
    expect(dueSlots({ ...hourly, missed: 'all' }, next, now)).toEqual({
      slot: slots[0],
      missed: [],
      next: slots[1],
    });
    // On time nothing is missed under any rule.
    for (const missed of ['latest', 'none', 'all'] as const) {
      expect(dueSlots({ ...hourly, missed }, now, now)).toEqual({
        slot: now,
        missed: [],
        next: now + HOUR,
      });
    }
  });

  it("[EN-36] overlap: 'skip' skips the slots during a run, and no slot that was missed before it", () => {
    const skip = { ...hourly, overlap: 'skip' } as const;
    const due = dueSlots(skip, now, now);
    expect(afterRun(skip, due, now, now + HOUR - 1)).toEqual({ skipped: [], next: now + HOUR });
    expect(afterRun(skip, due, now, now + 2 * HOUR)).toEqual({
      skipped: [now + HOUR, now + 2 * HOUR],
      next: now + 3 * HOUR,
    });
    expect(afterRun(hourly, due, now, now + 2 * HOUR)).toEqual({ skipped: [], next: now + HOUR });
    const all = { ...skip, missed: 'all' } as const;
    const backlog = dueSlots(all, now - 2 * HOUR, now);
    expect(afterRun(all, backlog, now, now + 2 * HOUR)).toEqual({ skipped: [], next: now - HOUR });
  });

  it('[EN-5] a local time that daylight saving skips does not fire; one that it repeats fires once', () => {
    const berlin = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
    // 29 March 2026: 02:00 becomes 03:00, there is no 02:30.
    const springBefore = Date.UTC(2026, 2, 28, 12);
    expect(nextSlot(berlin, springBefore)).toBe(Date.UTC(2026, 2, 30, 0, 30));
    // 25 October 2026: 03:00 becomes 02:00, 02:30 comes twice; the first is 00:30 UTC.
    const autumnBefore = Date.UTC(2026, 9, 24, 12);
    const first = nextSlot(berlin, autumnBefore);
    expect(first).toBe(Date.UTC(2026, 9, 25, 0, 30));
    expect(nextSlot(berlin, first ?? 0)).toBe(Date.UTC(2026, 9, 26, 1, 30));
  });

  it('[EN-5] after years at most 1000 missed slots are counted, and the next slot is in the future', () => {
    const due = dueSlots({ every: '10s' }, now - 5 * 365 * 24 * HOUR, now);
    expect(due.missed.length).toBeLessThanOrEqual(1000);
    expect(due.next).toBeGreaterThan(now);
  });
});
