// What people ask for on one device, carried out on another; and what two owners leave to be found.
import { describe, expect, it } from 'vitest';
import { createInboxHandlers } from '#main/api/inbox.ts';
import { mutationId } from '#shared/ids.ts';
import type { Wish } from '#shared/intents.ts';
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

describe('asked for elsewhere', () => {
  it('[IN-1] pause and resume wait for the owner, and say so until it hears of them', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const asked = b.engine.ask(workflowId, { kind: 'pause', reason: 'from b' });
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
    b.engine.ask(workflowId, { kind: 'resume' });
    await send(b, a);
    expect(a.store.workflows.get(workflowId)?.status).toBe('active');
  });

  it('[IN-1] a run now, an answer, a rerun and a new version', async () => {
    const { all, workflowId } = await startDevices(['a', 'b'], { source: ASKER });
    const [a, b] = all as Pair;
    b.engine.ask(workflowId, { kind: 'run_now', producer: 'tick', requestId: 'now' });
    await send(b, a);
    expect(a.runs(workflowId)).toMatchObject([{ handlerName: 'tick', deviceId: 'a' }]);
    const eventId = await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    const question = b.store.mutations.byStatus('pending')[0]?.id ?? '';
    b.engine.ask(workflowId, { kind: 'answer', mutationId: question, answer: { answer: 'yes' } });
    const late = { kind: 'answer', mutationId: question, answer: { answer: 'no' } } as const;
    await b.store.clock.advance(1);
    const second = b.engine.ask(workflowId, late);
    await send(b, a);
    expect(a.store.events.get(eventId)?.state.status).toBe('consumed');
    expect(a.store.mutations.get(question)?.state).toMatchObject({ result: { answer: 'yes' } });
    await send(a, b);
    expect(b.store.intents.get(second.id)).toMatchObject({
      status: 'superseded',
      message: expect.stringContaining('not open any more') as string,
    });
    b.engine.ask(workflowId, { kind: 'rerun', eventId, payload: 'again' });
    await send(b, a);
    expect(a.store.events.get(eventId)).toMatchObject({ payload: 'again', state: { attempt: 2 } });
    const { scriptId } = b.store.workflows.get(workflowId) ?? {};
    const script = b.store.scripts.ensure(workflowId, `${ASKER}\n// newer`, {
      fileName: 'w.ts',
      handlerConfig: b.store.workflows.get(workflowId)?.handlerConfig ?? null,
    });
    b.engine.ask(workflowId, { kind: 'activate', scriptId: script.id, basedOn: scriptId ?? null });
    await send(b, a);
    expect(a.store.workflows.get(workflowId)?.scriptId).toBe(script.id);
  });

  it('[IN-3] two hand-overs: the first is carried out, the other is superseded', async () => {
    const { all, workflowId } = await startDevices(['a', 'b', 'c']);
    const [a, b, c] = all as readonly [EngineUnderTest, EngineUnderTest, EngineUnderTest];
    const first = b.engine.ask(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await c.store.clock.advance(1);
    const second = c.engine.ask(workflowId, { kind: 'handover', toDeviceId: 'c', epoch: 1 });
    exchange(c.store.db, b.store.db);
    await send(b, a);
    await exchangeAll(all);
    expect(a.store.ownership.of(workflowId)).toMatchObject({ claim: { deviceId: 'b', epoch: 2 } });
    expect([a.store.intents.get(first.id)?.status, a.store.intents.get(second.id)?.status]).toEqual(
      ['done', 'superseded'],
    );
    expect(a.store.incidents.open()).toEqual([]);
  });

  it('[IN-2] on the owner it is done at once and audited; refused, it leaves nothing', async () => {
    const { all, workflowId } = await startDevices(['a']);
    const [a] = all as [EngineUnderTest];
    await a.publish(workflowId, 'in', 'm1');
    a.engine.ask(workflowId, { kind: 'pause', reason: '' });
    const [run] = a.runs(workflowId);
    const refused = a.engine.ask(workflowId, { kind: 'cancel', handlerRunId: run?.id ?? '' });
    expect(refused).toMatchObject({ status: 'superseded' });
    expect(a.store.intents.list({ workflowId, limit: 9 }).intents).toMatchObject([
      { wish: { kind: 'pause' }, status: 'done', deviceId: 'a' },
    ]);
  });

  it('[IN-4] what this version does not know is refused, whoever wrote it', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    b.store.intents.add('odd', workflowId, { kind: 'explode' } as unknown as Wish);
    await send(b, a);
    expect(a.store.intents.get('odd')?.status).toBe('refused');
    expect(a.store.workflows.get(workflowId)?.status).toBe('active');
  });

  it('[IN-5] a decision waits for the owner; the first wins, the other is superseded', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b', 'c']);
    const [a, b, c] = all as readonly [EngineUnderTest, EngineUnderTest, EngineUnderTest];
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    const eventId = await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    await send(a, c);
    const unknown = mutationId(a.runs(workflowId)[0]?.id ?? '');
    const decide = (on: EngineUnderTest, resolution: 'user_assert_applied' | 'user_skip') =>
      on.engine.resolve(resolution, { mutationId: unknown, workflowId, resolution, result: 1 });
    expect(decide(b, 'user_assert_applied').status).toBe('waiting');
    await c.store.clock.advance(1);
    expect(decide(c, 'user_skip').status).toBe('waiting');
    exchange(c.store.db, b.store.db);
    await send(b, a);
    await exchangeAll(all);
    for (const { store } of all) {
      expect(store.resolutions.ofMutation(unknown).map(({ status }) => status)).toEqual([
        'carried_out',
        'superseded',
      ]);
      expect(store.events.get(eventId)?.state.status).toBe('consumed');
    }
    expect(outside.arrived.length).toBe(1);
  });

  it('[IN-5] to send again where nobody can be asked needs the word of whoever decided', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    const unknown = mutationId(a.runs(workflowId)[0]?.id ?? '');
    const retry = { mutationId: unknown, workflowId, resolution: 'user_retry' } as const;
    b.engine.resolve('unconfirmed', retry);
    await send(b, a);
    expect(a.store.resolutions.get('unconfirmed')?.status).toBe('refused');
    expect(outside.arrived.length).toBe(1);
    b.engine.resolve('confirmed', { ...retry, isConfirmed: true });
    await send(b, a);
    expect(a.store.resolutions.get('confirmed')?.status).toBe('carried_out');
    expect(outside.arrived.length).toBe(2);
  });
});

describe('after a merge', () => {
  it('[RP-3] what was merged while no engine ran is looked at when one starts', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    put(a, workflowId, 'm1');
    put(b, workflowId, 'm1');
    b.engine.takeOver(workflowId);
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

  it('[RP-2] only the owner repairs, and all come to the same', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = await a.publish(workflowId, 'in', 'm1');
    await exchangeAll(all);
    // As a merge may leave it: the older status with more writes wins.
    for (const { store } of all) {
      store.db.run('SELECT crsql_internal_sync_bit(1)');
      store.db.run(
        `UPDATE events SET progress = '{"status":"pending","attempt_number":1,"updated_at":1}' WHERE id = ?`,
        eventId,
      );
      store.db.run('SELECT crsql_internal_sync_bit(0)');
    }
    b.engine.afterMerge();
    expect(b.store.events.get(eventId)?.state.status).toBe('pending');
    a.engine.afterMerge();
    expect(a.store.events.get(eventId)?.state.status).toBe('consumed');
    await exchangeAll(all);
    expect(b.store.events.get(eventId)?.state).toEqual(a.store.events.get(eventId)?.state);
  });

  it('[IC-2] a finding that contradicts what a person decided is told, and nothing is sent again', async () => {
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
    b.engine.takeOver(workflowId);
    exchange(b.store.db, a.store.db);
    b.engine.pause(workflowId, 'to look');
    const unknown = mutationId(b.runs(workflowId)[0]?.id ?? '');
    b.engine.resolve('no', { mutationId: unknown, workflowId, resolution: 'user_assert_failed' });
    answer();
    await a.idle();
    await exchangeAll(all);
    b.engine.resume(workflowId);
    await exchangeAll(all);
    expect(outside.arrived.length).toBe(1);
    expect(b.store.events.get(eventId)?.state.status).toBe('consumed');
    expect(b.store.incidents.open()).toMatchObject([{ kind: 'late_finding', about: unknown }]);
    expect(b.store.mutations.get(unknown)).toMatchObject({
      state: { status: 'failed' },
      made: { status: 'applied' },
    });
  });

  it('[IC-1] an effect that both sent, and of which one was left open, may have happened twice', async () => {
    const { all, workflowId, outside } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    put(a, workflowId, 'm1');
    put(b, workflowId, 'm1');
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    a.engine.wake(workflowId);
    await a.idle();
    b.engine.takeOver(workflowId);
    await b.idle();
    expect(outside.arrived.length).toBe(2);
    await exchangeAll(all);
    const unknown = b.store.mutations.byStatus('indeterminate')[0]?.id ?? '';
    expect(b.store.incidents.open()).toEqual([]);
    b.engine.resolve('go on', { mutationId: unknown, workflowId, resolution: 'user_skip' });
    // At once, where it was decided: the others may never come.
    const [item] = await inboxOf(b);
    expect(item).toMatchObject({
      type: 'incident',
      kind: 'double_effect',
      summary: expect.stringContaining('may have happened twice') as string,
    });
    await exchangeAll(all);
    expect(await inboxOf(a)).toEqual([item]);
  });

  it('[IC-3] it stands in the inbox of each device, with both sides, until it is acknowledged', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    put(a, workflowId, 'm1');
    put(b, workflowId, 'm1');
    b.engine.takeOver(workflowId);
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
