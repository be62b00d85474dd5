// Decisions made on one device and carried out on another, repair after a merge, and incidents.
import { describe, expect, it } from 'vitest';
import { createInboxHandlers } from '#main/api/handlers/inbox-handlers.ts';
import { mutationId } from '#shared/ids.ts';
import type { IntentRequest } from '#shared/intents.ts';
import { exchangeAll, put, send, startDevices } from '#test/support/start-devices.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import type { EngineUnderTest } from '#test/support/start-engine.ts';

type Pair = readonly [EngineUnderTest, EngineUnderTest];

const ASKER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Asker', uses: { ask: {}, outside: {} }, topics: ['in'],
  producers: { tick: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: { ask: {
    subscribes: 'in', publishes: [],
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return { reservations: event ? [event] : [] };
    },
    async mutate(ctx) { await ctx.tools.ask.question({ question: 'Well?' }); },
  } },
});`;

const inboxOf = async ({ engine }: EngineUnderTest) => {
  const handlers = createInboxHandlers(engine);
  return (await handlers['inbox.list']({})).items;
};

describe('decisions from another device', () => {
  it('[IN-1] pause and resume wait for the owner, which carries them out when it receives them', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const asked = b.engine.decisions.submit(workflowId, { kind: 'pause', reason: 'from b' });
    expect(asked.status).toBe('waiting');
    expect(b.store.workflows.get(workflowId)?.status).toBe('active');
    await send(b, a);
    expect(a.store.workflows.get(workflowId)).toMatchObject({
      status: 'paused',
      statusReason: 'from b',
    });
    await send(a, b);
    expect(b.store.intents.get(asked.id)).toMatchObject({ status: 'done', deviceId: 'b' });
    expect(b.store.workflows.get(workflowId)?.status).toBe('paused');
    b.engine.decisions.submit(workflowId, { kind: 'resume' });
    await send(b, a);
    expect(a.store.workflows.get(workflowId)?.status).toBe('active');
  });

  it('[IN-1] the owner carries out run now, answer, rerun and activate; a second answer is superseded', async () => {
    const { all, workflowId } = await startDevices(['a', 'b'], { source: ASKER });
    const [a, b] = all as Pair;
    b.engine.decisions.submit(workflowId, { kind: 'run_now', producer: 'tick', requestId: 'now' });
    await send(b, a);
    expect(a.runs(workflowId)).toMatchObject([{ handlerName: 'tick', deviceId: 'a' }]);
    const eventId = await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    const question = b.store.mutations.byStatus('pending')[0]?.id ?? '';
    b.engine.decisions.submit(workflowId, {
      kind: 'answer',
      mutationId: question,
      answer: { answer: 'yes' },
    });
    const late = { kind: 'answer', mutationId: question, answer: { answer: 'no' } } as const;
    await b.store.clock.advance(1);
    const second = b.engine.decisions.submit(workflowId, late);
    await send(b, a);
    expect(a.store.events.get(eventId)?.state.status).toBe('consumed');
    expect(a.store.mutations.get(question)?.state).toMatchObject({ result: { answer: 'yes' } });
    await send(a, b);
    expect(b.store.intents.get(second.id)).toMatchObject({
      status: 'superseded',
      message: expect.stringContaining("isn't open any more") as string,
    });
    b.engine.decisions.submit(workflowId, { kind: 'rerun', eventId, payload: 'again' });
    await send(b, a);
    expect(a.store.events.get(eventId)).toMatchObject({ payload: 'again', state: { attempt: 2 } });
    const { scriptId } = b.store.workflows.get(workflowId) ?? {};
    const script = b.store.scripts.ensure(workflowId, `${ASKER}\n// newer`, {
      fileName: 'w.ts',
      handlerConfig: b.store.workflows.get(workflowId)?.handlerConfig ?? null,
    });
    b.engine.decisions.submit(workflowId, {
      kind: 'activate',
      scriptId: script.id,
      basedOn: scriptId ?? null,
    });
    await send(b, a);
    expect(a.store.workflows.get(workflowId)?.scriptId).toBe(script.id);
  });

  it('[IN-3] two hand-overs: the first is carried out, the second superseded', async () => {
    const { all, workflowId } = await startDevices(['a', 'b', 'c']);
    const [a, b, c] = all as readonly [EngineUnderTest, EngineUnderTest, EngineUnderTest];
    const first = b.engine.decisions.submit(workflowId, {
      kind: 'handover',
      toDeviceId: 'b',
      epoch: 1,
    });
    await c.store.clock.advance(1);
    const second = c.engine.decisions.submit(workflowId, {
      kind: 'handover',
      toDeviceId: 'c',
      epoch: 1,
    });
    exchange(c.store.db, b.store.db);
    await send(b, a);
    await exchangeAll(all);
    expect(a.store.ownership.of(workflowId)).toMatchObject({ claim: { deviceId: 'b', epoch: 2 } });
    expect([a.store.intents.get(first.id)?.status, a.store.intents.get(second.id)?.status]).toEqual(
      ['done', 'superseded'],
    );
    expect(a.store.incidents.open()).toEqual([]);
  });

  it('[IN-2] on the owner an intent is done at once and recorded; one that comes too late leaves no row', async () => {
    const { all, workflowId } = await startDevices(['a']);
    const [a] = all as [EngineUnderTest];
    await a.publish(workflowId, 'in', 'm1');
    a.engine.decisions.submit(workflowId, { kind: 'pause', reason: '' });
    const [run] = a.runs(workflowId);
    const refused = a.engine.decisions.submit(workflowId, {
      kind: 'cancel',
      handlerRunId: run?.id ?? '',
    });
    expect(refused).toMatchObject({ status: 'superseded' });
    expect(a.store.intents.list({ workflowId, limit: 9 }).intents).toMatchObject([
      { wish: { kind: 'pause' }, status: 'done', deviceId: 'a' },
    ]);
  });

  it('[IN-4] an intent of an unknown kind is refused and changes nothing', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    b.store.intents.add('odd', workflowId, { kind: 'explode' } as unknown as IntentRequest);
    await send(b, a);
    expect(a.store.intents.get('odd')?.status).toBe('refused');
    expect(a.store.workflows.get(workflowId)?.status).toBe('active');
  });

  it('[IN-5] resolutions wait for the owner; the first is done, the second superseded', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b', 'c']);
    const [a, b, c] = all as readonly [EngineUnderTest, EngineUnderTest, EngineUnderTest];
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    const eventId = await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    await send(a, c);
    const unknown = mutationId(a.runs(workflowId)[0]?.id ?? '');
    const decide = (on: EngineUnderTest, resolution: 'user_assert_applied' | 'user_skip') =>
      on.engine.decisions.settle(resolution, {
        mutationId: unknown,
        workflowId,
        resolution,
        result: 1,
      });
    expect(decide(b, 'user_assert_applied').status).toBe('waiting');
    await c.store.clock.advance(1);
    expect(decide(c, 'user_skip').status).toBe('waiting');
    exchange(c.store.db, b.store.db);
    await send(b, a);
    await exchangeAll(all);
    for (const { store } of all) {
      expect(store.resolutions.ofMutation(unknown).map(({ status }) => status)).toEqual([
        'done',
        'superseded',
      ]);
      expect(store.events.get(eventId)?.state.status).toBe('consumed');
    }
    expect(outside.arrived.length).toBe(1);
  });

  it('[IN-5] sending again without a check is refused unless the person confirmed it', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    const unknown = mutationId(a.runs(workflowId)[0]?.id ?? '');
    const retry = { mutationId: unknown, workflowId, resolution: 'user_retry' } as const;
    b.engine.decisions.settle('unconfirmed', retry);
    await send(b, a);
    expect(a.store.resolutions.get('unconfirmed')?.status).toBe('refused');
    expect(outside.arrived.length).toBe(1);
    b.engine.decisions.settle('confirmed', { ...retry, isConfirmed: true });
    await send(b, a);
    expect(a.store.resolutions.get('confirmed')?.status).toBe('done');
    expect(outside.arrived.length).toBe(2);
  });
});

describe('after a merge', () => {
  it('[RP-3] rows merged while the engine was stopped are examined at start', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    put(a, workflowId, 'm1');
    put(b, workflowId, 'm1');
    b.engine.ownership.takeOver(workflowId);
    a.engine.wake(workflowId);
    await Promise.all([a.idle(), b.idle()]);
    await b.engine.stop();
    exchange(a.store.db, b.store.db);
    expect(b.store.incidents.open()).toEqual([]);
    const again = b.restart();
    await again.idle();
    expect(outside.arrived.length).toBe(2);
    expect(again.store.incidents.open()).toMatchObject([{ kind: 'double_effect' }]);
  });

  it('[RP-2] only the owner repairs an event, and both devices end with the same state', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = await a.publish(workflowId, 'in', 'm1');
    await exchangeAll(all);
    // A merge can leave this: the older status wins, because it has more writes.
    for (const { store } of all) {
      store.db.run('SELECT crsql_internal_sync_bit(1)');
      store.db.run(
        `UPDATE events SET progress = '{"status":"pending","attempt_number":1,"updated_at":1}' WHERE id = ?`,
        eventId,
      );
      store.db.run('SELECT crsql_internal_sync_bit(0)');
    }
    b.engine.merges.process();
    expect(b.store.events.get(eventId)?.state.status).toBe('pending');
    a.engine.merges.process();
    expect(a.store.events.get(eventId)?.state.status).toBe('consumed');
    await exchangeAll(all);
    expect(b.store.events.get(eventId)?.state).toEqual(a.store.events.get(eventId)?.state);
  });

  it("[IC-2] an outcome that contradicts a person's decision is an incident, and nothing is sent again", async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    let answer = (): void => undefined;
    const arrived = new Promise<void>((arrive) => {
      outside.answers.push(() => {
        arrive();
        return new Promise((resolve) => {
          answer = () => resolve({ type: 'applied', result: 'late' });
        });
      });
    });
    const eventId = put(a, workflowId, 'm1');
    a.engine.wake(workflowId);
    await arrived;
    await send(a, b);
    b.engine.ownership.takeOver(workflowId);
    exchange(b.store.db, a.store.db);
    b.engine.commands.pause(workflowId, 'to look');
    const unknown = mutationId(b.runs(workflowId)[0]?.id ?? '');
    b.engine.decisions.settle('no', {
      mutationId: unknown,
      workflowId,
      resolution: 'user_assert_failed',
    });
    answer();
    await a.idle();
    await exchangeAll(all);
    b.engine.commands.resume(workflowId);
    await exchangeAll(all);
    expect(outside.arrived.length).toBe(1);
    expect(b.store.events.get(eventId)?.state.status).toBe('consumed');
    expect(b.store.incidents.open()).toMatchObject([{ kind: 'late_finding', about: unknown }]);
    expect(b.store.mutations.get(unknown)).toMatchObject({
      state: { status: 'failed' },
      made: { status: 'applied' },
    });
  });

  it('[IC-1] an effect that two devices sent, one with a skipped outcome, is an incident that may have happened twice', async () => {
    const { all, workflowId, outside } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    put(a, workflowId, 'm1');
    put(b, workflowId, 'm1');
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    a.engine.wake(workflowId);
    await a.idle();
    b.engine.ownership.takeOver(workflowId);
    await b.idle();
    expect(outside.arrived.length).toBe(2);
    await exchangeAll(all);
    const unknown = b.store.mutations.byStatus('indeterminate')[0]?.id ?? '';
    expect(b.store.incidents.open()).toEqual([]);
    b.engine.decisions.settle('go on', {
      mutationId: unknown,
      workflowId,
      resolution: 'user_skip',
    });
    // Detected at once on the deciding device, without another merge.
    const [item] = await inboxOf(b);
    expect(item).toMatchObject({
      type: 'incident',
      kind: 'double_effect',
      summary: expect.stringContaining('may have happened twice') as string,
    });
    await exchangeAll(all);
    expect(await inboxOf(a)).toEqual([item]);
  });

  it('[IC-3] an incident is in both inboxes, with both sides, until one device acknowledges it', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    put(a, workflowId, 'm1');
    put(b, workflowId, 'm1');
    b.engine.ownership.takeOver(workflowId);
    a.engine.wake(workflowId);
    await Promise.all([a.idle(), b.idle()]);
    await exchangeAll(all);
    const [item] = await inboxOf(a);
    expect(item).toMatchObject({
      type: 'incident',
      kind: 'double_effect',
      workflowName: 'Poster',
      sides: expect.arrayContaining([
        expect.objectContaining({ deviceId: 'a', tool: 'outside.post', params: { data: 'm1' } }),
        expect.objectContaining({ deviceId: 'b', result: { ok: true } }),
      ]) as unknown,
    });
    expect(await inboxOf(b)).toEqual([item]);
    b.store.incidents.acknowledge(item?.type === 'incident' ? item.incidentId : '', 'undone');
    await exchangeAll(all);
    expect(await inboxOf(a)).toEqual([]);
  });
});
