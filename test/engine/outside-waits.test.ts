// Outside hosts in the engine: waits and limits that all workflows share.
import { describe, expect, it } from 'vitest';
import { outsideWaits } from '#main/engine/outside-waits.ts';
import { setHostLimit } from '#main/tools/outside-hosts/host-settings.ts';
import { MAX_TRANSIENT_RETRIES } from '#shared/limits.ts';
import { mutationId } from '#shared/ids.ts';
import { OUTSIDE_HOST } from '#test/support/fake-outside.ts';
import { POSTER, startEngine } from '#test/support/start-engine.ts';

const busy = (retryAfterMs: number) =>
  ({ type: 'failed', errorType: 'network', error: 'busy', retryAfterMs }) as const;

const OTHER = POSTER.replace("'Poster'", "'Other'");
const READER = `
  import { workflow } from 'holdfast';
  export default workflow({
    name: 'Reader', uses: { outside: {} }, topics: ['in'],
    producers: { read: { schedule: { every: '1h' }, async run(ctx) {
      try { await ctx.tools.outside.get({}); } catch (error) { throw new Error('wrapped'); }
    } } },
    consumers: { take: { subscribes: 'in', async prepare() {} } },
  });`;

describe('a host that asks to wait', () => {
  it('[OH-1] holds back the effects and reads of all workflows until then', async () => {
    const { add, publish, outside, pass, runs, store } = startEngine();
    const first = await add(POSTER, 'first');
    const second = await add(OTHER, 'second');
    outside.answers.push(busy(30_000));
    await publish(first, 'in', 'm1');
    await publish(second, 'in', 'm2');
    const reader = await add(READER, 'reader');
    expect(outside.arrived.length).toBe(1);
    await pass(29_999);
    expect(outside.arrived.length).toBe(1);
    await pass(1);
    expect(outside.arrived.length).toBe(3);
    for (const id of [first, second, reader]) {
      expect(runs(id).map(({ state }) => state.phase)).toEqual(['failed', 'committed']);
      expect(store.workflows.get(id)?.status).toBe('active');
    }
  });

  it('[OH-1] never pauses a workflow, however often it asks, and no failure is counted', async () => {
    const { add, publish, outside, pass, store } = startEngine();
    const workflowId = await add(POSTER);
    for (let n = 0; n < MAX_TRANSIENT_RETRIES * 2; n += 1) outside.answers.push(busy(300_000));
    await publish(workflowId, 'in', 'm1');
    for (let n = 0; n < MAX_TRANSIENT_RETRIES * 2; n += 1) {
      expect(store.consumerWakes.get(workflowId, 'post').failures).toBe(0);
      await pass(300_000);
    }
    expect(outside.arrived.length).toBe(MAX_TRANSIENT_RETRIES * 2 + 1);
    expect(store.workflows.get(workflowId)?.status).toBe('active');
  });

  it('[OH-1] an effect that was held back was never in flight', async () => {
    const { add, publish, outside, store, runs } = startEngine();
    const first = await add(POSTER, 'first');
    const second = await add(OTHER, 'second');
    outside.answers.push(busy(30_000));
    await publish(first, 'in', 'm1');
    await publish(second, 'in', 'm2');
    const [held] = runs(second);
    expect(store.mutations.get(mutationId(held?.id ?? ''))).toBeUndefined();
    expect(store.mutations.get(mutationId(runs(first)[0]?.id ?? ''))?.state).toMatchObject({
      status: 'failed',
    });
  });

  it('[OH-1] is not asked about an unknown outcome before then, and no check is counted', async () => {
    const { add, publish, outside, pass, store, runs } = startEngine({ canReconcile: true });
    const workflowId = await add(POSTER);
    const other = await add(OTHER, 'other');
    outside.answers.push({ type: 'ambiguous', error: 'no reply' }, busy(3_600_000));
    await publish(workflowId, 'in', 'm1');
    expect(outside.asked).toBe(1);
    await publish(other, 'in', 'm2');
    const attempts = () => {
      const state = store.mutations.get(mutationId(runs(workflowId)[0]?.id ?? ''))?.state;
      return state?.status === 'needs_reconcile' ? state.reconcile.attempts : null;
    };
    await pass(3_599_999);
    expect([outside.asked, attempts()]).toEqual([1, 1]);
    await pass(1);
    expect([outside.asked, attempts()]).toEqual([2, 2]);
  });

  it('[OH-3] between the turn and the send, the effect is not sent, and its run starts over', async () => {
    const { add, publish, outside, pass, runs, hosts, store, engine } = startEngine();
    const workflowId = await add(POSTER);
    // Another call is told to wait while this effect is being marked in flight.
    const begin = store.mutations.markInFlight.bind(store.mutations);
    store.mutations.markInFlight = (...args) => {
      const visit = hosts.enterNow(OUTSIDE_HOST);
      if (visit.type === 'entered') {
        visit.leave({ type: 'asked_to_wait', retryAfterMs: 60_000 });
      }
      return begin(...args);
    };
    await publish(workflowId, 'in', 'm1');
    store.mutations.markInFlight = begin;
    expect(outside.arrived).toEqual([]);
    const [run] = runs(workflowId);
    expect(store.mutations.get(mutationId(run?.id ?? ''))?.state.status).toBe('failed');
    expect(store.consumerWakes.get(workflowId, 'post').failures).toBe(0);
    await pass(60_000);
    expect(outside.arrived.length).toBe(1);
    expect(engine.isBusy(workflowId)).toBe(false);
  });

  it('[OH-5] holds back the calls of the next start, too', async () => {
    const first = startEngine();
    const workflowId = await first.add(POSTER, 'first');
    const other = await first.add(OTHER, 'other');
    first.outside.answers.push(busy(60_000));
    await first.publish(workflowId, 'in', 'm1');
    const second = first.crash();
    await second.idle();
    await second.publish(other, 'in', 'm2');
    expect(second.outside.arrived.length).toBe(1);
    await second.pass(60_000);
    expect(second.outside.arrived.length).toBe(3);
  });

  it('[OH-6] is named with the time for each handler that waits, also after a restart', async () => {
    const first = startEngine();
    const workflowId = await first.add(POSTER);
    first.outside.answers.push(busy(60_000));
    await first.publish(workflowId, 'in', 'm1');
    const until = first.store.clock.now() + 60_000;
    const wait = [{ kind: 'handler', handler: 'post', host: OUTSIDE_HOST, until }];
    expect(outsideWaits(first.engine.context, workflowId)).toMatchObject(wait);
    const second = first.crash();
    await second.idle();
    expect(outsideWaits(second.engine.context, workflowId)).toMatchObject(wait);
    await second.pass(60_000);
    expect(outsideWaits(second.engine.context, workflowId)).toEqual([]);
  });

  it('[OH-6] a retry after a failure is no wait for a host', async () => {
    const { add, publish, outside, engine } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'failed', errorType: 'network', error: 'down' });
    await publish(workflowId, 'in', 'm1');
    expect(outsideWaits(engine.context, workflowId)).toEqual([]);
  });

  it('[OH-1] a second send that a person chose is not made, and stays unknown', async () => {
    const { add, publish, outside, hosts, runs, store, engine, pass, idle } = startEngine();
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'no reply' });
    await publish(workflowId, 'in', 'm1');
    const id = mutationId(runs(workflowId)[0]?.id ?? '');
    const visit = hosts.enterNow(OUTSIDE_HOST);
    if (visit.type === 'entered') visit.leave({ type: 'asked_to_wait', retryAfterMs: 60_000 });
    const retry = { mutationId: id, workflowId, resolution: 'user_retry' } as const;
    engine.decisions.settle('r1', retry);
    await idle();
    await pass(6000);
    expect(outside.arrived.length).toBe(1);
    expect(store.mutations.get(id)?.state).toMatchObject({
      status: 'indeterminate',
      error: expect.stringContaining(`Waiting for ${OUTSIDE_HOST}`) as string,
    });
  });
});

describe('limits', () => {
  const limited = (limit: string, name: string): string =>
    POSTER.replace("'Poster',", `'${name}', limits: { '${OUTSIDE_HOST}': ${limit} },`);

  it('[OH-2] that a workflow sets hold for all workflows while it is active', async () => {
    const { add, publish, outside, pass, engine, hosts } = startEngine();
    const strict = await add(limited('{ perSecond: 0.1 }', 'Strict'), 'strict');
    await add(limited('{ perSecond: 5, concurrent: 3 }', 'Mild'), 'mild');
    const free = await add(OTHER, 'free');
    expect(hosts.limitOf(OUTSIDE_HOST)).toEqual({ perSecond: 0.1, concurrent: 3 });
    await publish(strict, 'in', 'm1');
    await publish(free, 'in', 'm2');
    await publish(free, 'in', 'm3');
    expect(outside.arrived.length).toBe(1);
    await pass(9999);
    expect(outside.arrived.length).toBe(1);
    await pass(1);
    expect(outside.arrived.length).toBe(2);
    engine.commands.pause(strict, 'holiday');
    expect(hosts.limitOf(OUTSIDE_HOST)).toEqual({ perSecond: 5, concurrent: 3 });
    await pass(10_000);
    expect(outside.arrived.length).toBe(3);
  });

  it('[OH-2] that the person sets hold, too; waiting is not a failure', async () => {
    const { add, publish, outside, pass, store, engine, runs } = startEngine();
    const workflowId = await add(POSTER);
    setHostLimit(store, OUTSIDE_HOST, { perSecond: 1 / 60 });
    for (const id of ['m1', 'm2', 'm3']) await publish(workflowId, 'in', id);
    expect(outside.arrived.length).toBe(1);
    expect(outsideWaits(engine.context, workflowId)).toMatchObject([{ host: OUTSIDE_HOST }]);
    expect(store.consumerWakes.get(workflowId, 'post').failures).toBe(0);
    await pass(60_000);
    expect(outside.arrived.length).toBe(2);
    await pass(60_000);
    expect(outside.arrived.length).toBe(3);
    expect(store.workflows.get(workflowId)?.status).toBe('active');
    expect(runs(workflowId).filter(({ state }) => state.phase === 'committed').length).toBe(3);
  });

  it('[OH-4] no workflow starves: each gets its turn before any gets a second one', async () => {
    const { add, publish, outside, pass, store } = startEngine();
    const names = ['a', 'b', 'c', 'd'];
    const ids: string[] = [];
    for (const name of names) {
      ids.push(await add(POSTER.replace("'Poster'", `'${name}'`), name));
    }
    setHostLimit(store, OUTSIDE_HOST, { perSecond: 0.1 });
    for (const [index, id] of [...ids, ...ids].entries()) {
      await publish(id, 'in', `m${index}`, { from: names[index % names.length] ?? '' });
    }
    for (let n = 0; n < 9; n += 1) await pass(10_000);
    const senders = outside.arrived.map(
      ({ params }) => (params as { data: { from: string } }).data.from,
    );
    expect(senders.slice(0, 4).toSorted()).toEqual(names);
    expect(senders.slice(4).toSorted()).toEqual(names);
  });
});
