// Days without a network and afternoons without a service, with real engines and a virtual clock.
import { describe, expect, it } from 'vitest';
import { outsideWaits } from '#main/engine/outside-waits.ts';
import { setHostLimit } from '#main/tools/outside-hosts/host-settings.ts';
import { mutationId } from '#shared/ids.ts';
import { MAX_RECONCILE_ATTEMPTS } from '#shared/limits.ts';
import { OUTSIDE_HOST } from '#test/support/fake-outside.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const named = (name: string): string => POSTER.replace("'Poster'", `'${name}'`);
const patient = (giveUpAfter: string): string =>
  POSTER.replace("subscribes: 'in',", `subscribes: 'in', giveUpAfter: '${giveUpAfter}',`);

/** Reads the outside of its own host every hour and publishes what it read. */
const FEEDER = (missed: string): string => `
  import { workflow } from 'holdfast';
  export default workflow({
    name: 'Feeder-${missed}', uses: { outside: {} }, topics: ['entry'],
    producers: { read: { schedule: { every: '1h', missed: '${missed}' }, publishes: ['entry'],
      async run(ctx) {
        const entry = await ctx.tools.outside.get({ host: 'feed.example' });
        await ctx.publish('entry', { id: String(ctx.now), title: 'Entry', payload: entry });
      } } },
    consumers: { post: { subscribes: 'entry',
      async prepare(ctx) {
        const [event] = await ctx.peek('entry', { limit: 1 });
        return event && { reservations: [event], data: { id: event.messageId } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.outside.post({ host: 'mail.example', data: prepared.data });
      } } },
  });`;

function states({ store }: EngineUnderTest): string[] {
  return store.workflows.ids().map((id) => store.workflows.get(id)?.status ?? '');
}

/** The effects of one workflow that arrived, by effect id. */
function twice({ outside }: EngineUnderTest): string[] {
  const ids = outside.arrived.map(({ effectId }) => effectId);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

describe('three days without a network', () => {
  it('[OF-1] [OF-6] [OF-14] nothing is paused, no attempt is used up, and everything continues automatically, once', async () => {
    const device = startEngine();
    const { add, publish, outside, hosts, pass, store, runs } = device;
    const one = await add(named('One'), 'one');
    const two = await add(named('Two'), 'two');
    const feeder = await add(FEEDER('latest'), 'feeder');
    await pass(HOUR / 2);
    const before = outside.arrived.length;
    hosts.see({ addresses: [], isOnline: true });
    outside.unreached = () => 'no network';
    for (const id of ['a', 'b', 'c']) {
      await publish(one, 'in', id, { id });
      await publish(two, 'in', id, { id });
    }
    for (let hour = 0; hour < 72; hour += 1) await pass(HOUR);
    expect(outside.arrived.length).toBe(before);
    expect(states(device)).toEqual(['active', 'active', 'active']);
    for (const [id, handler] of [
      [one, 'post'],
      [two, 'post'],
      [feeder, 'read'],
    ] as const) {
      expect(store.consumerWakes.get(id, handler).failures).toBe(0);
      expect(outsideWaits(device.engine.context, id)).toMatchObject([{ handler, until: null }]);
    }
    expect(hosts.waitsForNetwork(OUTSIDE_HOST)).toBe(true);
    // Without an address two hosts are tried once an hour by all workflows together.
    expect(outside.probes.length).toBeLessThan(72 * 2 + 40);

    outside.unreached = () => null;
    hosts.see({ addresses: ['192.0.2.7'], isOnline: true });
    await pass(5000);
    expect(outside.arrived.length).toBe(before + 3 + 3 + 1);
    expect(twice(device)).toEqual([]);
    expect(states(device)).toEqual(['active', 'active', 'active']);
    for (const id of [one, two, feeder]) {
      expect(outsideWaits(device.engine.context, id)).toEqual([]);
      expect(store.events.setAside()).toEqual([]);
    }
    // Of the missed hours the latest ran, as for a machine that was off.
    const entries = runs(feeder).filter(
      ({ handlerName, state }) => handlerName === 'read' && state.phase === 'committed',
    );
    expect(entries.length).toBe(2);
  });

  it.each([
    ['all', 73],
    ['none', 1],
  ])(
    '[OF-14] a schedule with missed: %s behaves as if the machine had been off',
    async (rule, read) => {
      const device = startEngine();
      const { add, outside, hosts, pass, runs } = device;
      const feeder = await add(FEEDER(rule), 'feeder');
      await pass(HOUR / 2);
      outside.unreached = () => 'no network';
      hosts.see({ addresses: [], isOnline: true });
      for (let hour = 0; hour < 72; hour += 1) await pass(HOUR);
      outside.unreached = () => null;
      hosts.see({ addresses: ['192.0.2.7'], isOnline: true });
      await pass(5000);
      const entries = runs(feeder).filter(
        ({ handlerName, state }) => handlerName === 'read' && state.phase === 'committed',
      );
      expect(entries.length).toBe(read);
      const before = outside.arrived.length;
      await pass(HOUR);
      expect(outside.arrived.length).toBe(before + 1);
      expect(twice(device)).toEqual([]);
    },
  );

  it('[OF-8] an unknown outcome is not given to a person, and is checked when the network is back', async () => {
    const device = startEngine({ canReconcile: true });
    const { add, publish, outside, hosts, pass, store, runs } = device;
    const workflowId = await add(POSTER);
    outside.answers.push(() => {
      outside.unreached = () => 'no network';
      return { type: 'ambiguous', error: 'the reply was lost' };
    });
    await publish(workflowId, 'in', 'm1');
    const id = mutationId(runs(workflowId)[0]?.id ?? '');
    for (let n = 0; n < MAX_RECONCILE_ATTEMPTS * 2; n += 1) await pass(HOUR);
    expect(store.mutations.get(id)?.state).toMatchObject({
      status: 'needs_reconcile',
      reconcile: { attempts: 0, waitsFor: OUTSIDE_HOST },
    });
    expect(outsideWaits(device.engine.context, workflowId)).toMatchObject([
      { kind: 'check', handler: 'post', host: OUTSIDE_HOST, until: null },
    ]);
    outside.unreached = () => null;
    outside.reconciles.push({ type: 'happened', result: { ok: true } });
    hosts.retryNow();
    await pass(0);
    expect(store.mutations.get(id)?.state.status).toBe('applied');
    expect(outside.arrived.length).toBe(1);
    expect(states(device)).toEqual(['active']);
  });

  it('[OF-8] goes to a person after a day if only the host of the check can’t be reached', async () => {
    const { add, publish, outside, pass, store, runs } = startEngine({ canReconcile: true });
    const workflowId = await add(POSTER);
    outside.answers.push(() => {
      outside.unreached = () => 'no connection';
      return { type: 'ambiguous', error: 'the reply was lost' };
    });
    await publish(workflowId, 'in', 'm1');
    const id = mutationId(runs(workflowId)[0]?.id ?? '');
    for (let hour = 0; hour < 23; hour += 1) await pass(HOUR);
    expect(store.mutations.get(id)?.state.status).toBe('needs_reconcile');
    await pass(2 * HOUR);
    expect(store.mutations.get(id)?.state.status).toBe('indeterminate');
  }, 60_000);

  it('[OF-8] is checked also while the workflow is paused, and after a restart', async () => {
    const first = startEngine({ canReconcile: true });
    const workflowId = await first.add(POSTER);
    const { outside } = first;
    outside.answers.push(() => {
      outside.unreached = () => 'no connection';
      return { type: 'ambiguous', error: 'the reply was lost' };
    });
    await first.publish(workflowId, 'in', 'm1');
    first.engine.commands.pause(workflowId, 'holiday');
    await first.pass(HOUR);
    const second = first.crash();
    await second.pass(HOUR);
    const id = mutationId(second.runs(workflowId)[0]?.id ?? '');
    expect(second.store.mutations.get(id)?.state.status).toBe('needs_reconcile');
    outside.unreached = () => null;
    outside.reconciles.push({ type: 'happened', result: { ok: true } });
    await second.pass(6 * MINUTE);
    expect(second.store.mutations.get(id)?.state.status).toBe('applied');
  });

  it('[OF-9] after a restart the waits are still there, and only one call goes to the host', async () => {
    const first = startEngine();
    const { outside } = first;
    outside.unreached = () => 'no connection';
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) {
      const id = await first.add(named(`w${n}`), `w${n}`);
      await first.publish(id, 'in', 'm', { n });
      await first.pass(10);
      ids.push(id);
    }
    const since = outsideWaits(first.engine.context, ids[0] ?? '')[0]?.since;
    await first.pass(HOUR);
    const before = outside.probes.length;
    const second = first.crash();
    await second.pass(0);
    expect(outside.probes.length).toBeLessThanOrEqual(before + 1);
    expect(outsideWaits(second.engine.context, ids[0] ?? '')[0]?.since).toBe(since);
    outside.unreached = () => null;
    await second.pass(6 * MINUTE);
    expect(outside.arrived.length).toBe(10);
    expect(states(second)).toEqual(ids.map(() => 'active'));
  });
});

describe('a service that is down for an afternoon, with fifty workflows', () => {
  it('[OF-2] [OF-5] gets at most one probe a minute, and all workflows continue, oldest first', async () => {
    const device = startEngine();
    const { add, publish, outside, pass, store } = device;
    outside.unreached = () => 'no connection';
    const ids: string[] = [];
    for (let n = 0; n < 50; n += 1) ids.push(await add(named(`w${n}`), `w${n}`));
    for (const [n, id] of ids.entries()) {
      await publish(id, 'in', 'm', { n });
      await pass(1);
    }
    for (let minute = 0; minute < 3 * 60; minute += 1) await pass(MINUTE);
    // One call opened the circuit. Probes with backoff: one a minute, then one in five.
    expect(outside.probes.length).toBeGreaterThan(60);
    expect(outside.probes.length).toBeLessThanOrEqual(8 + 60 + 24);
    expect(states(device)).toEqual(ids.map(() => 'active'));
    // They take turns, so no workflow has hundreds of runs.
    for (const id of ids) expect(device.runs(id).length).toBeLessThanOrEqual(8);

    setHostLimit(store, OUTSIDE_HOST, { concurrent: 1 });
    outside.unreached = () => null;
    // In small steps: the clock must not run ahead of the work.
    device.hosts.retryNow();
    for (let n = 0; n < 200 && outside.arrived.length < 50; n += 1) await pass(10);
    const order = outside.arrived.map(({ params }) => (params as { data: { n: number } }).data.n);
    const [probe = 0, ...rest] = order;
    expect(rest).toEqual(ids.map((_, n) => n).filter((n) => n !== probe));
    expect(twice(device)).toEqual([]);
  }, 60_000);

  it('[OF-5] is called within its limit after its return', async () => {
    const device = startEngine();
    const { add, publish, outside, pass, store } = device;
    setHostLimit(store, OUTSIDE_HOST, { perSecond: 0.1 });
    outside.unreached = () => 'no network';
    for (let n = 0; n < 5; n += 1) {
      const id = await add(named(`w${n}`), `w${n}`);
      for (const event of ['a', 'b']) await publish(id, 'in', event, { n });
    }
    await pass(HOUR);
    outside.unreached = () => null;
    device.hosts.retryNow();
    await pass(1000);
    expect(outside.arrived.length).toBe(1);
    for (let n = 1; n < 10; n += 1) {
      await pass(10_000);
      expect(outside.arrived.length).toBeLessThanOrEqual(n + 1);
    }
    await pass(MINUTE);
    expect(outside.arrived.length).toBe(10);
  });

  it('[OF-3] 503 three times in a row holds back all reads; 500 holds back none', async () => {
    const device = startEngine();
    const { add, outside, pass, hosts } = device;
    outside.unreached = (host) => (host === 'feed.example' ? '503' : null);
    await add(FEEDER('latest'), 'feeder');
    await pass(0);
    expect(hosts.downSince('feed.example')).toBeNull();
    await pass(1000);
    await pass(2000);
    expect(outside.probes.length).toBe(3);
    expect(hosts.downSince('feed.example')).not.toBeNull();
    outside.unreached = () => null;
    await pass(1500);
    expect(hosts.downSince('feed.example')).toBeNull();
    expect(outside.arrived.length).toBe(1);
  });

  it('[OF-3] a read error that concerns one request stops no other workflow', async () => {
    const device = startEngine();
    const { add, publish, outside, pass, hosts } = device;
    for (let n = 0; n < 20; n += 1) {
      outside.reads.push({ type: 'failed', errorType: 'network', error: 'returned 500' });
    }
    await add(FEEDER('latest').replaceAll('feed.example', OUTSIDE_HOST), 'feeder');
    const poster = await add(POSTER);
    for (let n = 0; n < 10; n += 1) {
      await pass(MINUTE);
      await publish(poster, 'in', `m${n}`);
    }
    expect(outside.arrived.length).toBe(10);
    expect(hosts.downSince(OUTSIDE_HOST)).toBeNull();
  });
});

describe('giveUpAfter', () => {
  it('[OF-10] sets aside an event that waited for too long, with the reason; the next event has its own limit', async () => {
    const device = startEngine();
    const { add, publish, outside, pass, store, runs } = device;
    const workflowId = await add(patient('2d'));
    outside.unreached = () => 'no connection';
    await publish(workflowId, 'in', 'a');
    await pass(HOUR);
    await publish(workflowId, 'in', 'b');
    await pass(2 * DAY - HOUR - 1);
    expect(store.events.setAside()).toEqual([]);
    await pass(1);
    expect(store.events.setAside().map(({ messageId }) => messageId)).toEqual(['a']);
    expect(store.events.setAside()[0]?.state).toMatchObject({
      error: expect.stringMatching(
        /^Gave up after 2d.*Nothing was sent\..*could not be reached/,
      ) as string,
    });
    const gaveUp = runs(workflowId).find(({ state }) => JSON.stringify(state).includes('Gave up'));
    expect(gaveUp?.state).toMatchObject({
      phase: 'failed',
      error: expect.stringContaining('Gave up after 2d') as string,
    });
    await pass(HOUR - 1);
    expect(store.events.setAside().length).toBe(1);
    await pass(1);
    expect(
      store.events
        .setAside()
        .map(({ messageId }) => messageId)
        .toSorted(),
    ).toEqual(['a', 'b']);
    expect(states(device)).toEqual(['active']);
    outside.unreached = () => null;
    await publish(workflowId, 'in', 'c');
    await pass(6 * MINUTE);
    expect(outside.arrived.length).toBe(1);
  });

  it('[OF-10] keeps counting after a restart, also while the event is retried without a wait', async () => {
    const first = startEngine();
    const workflowId = await first.add(patient('2h'));
    first.outside.answers.push(
      ...Array.from({ length: 500 }, () => ({
        type: 'failed' as const,
        errorType: 'network' as const,
        error: 'try later',
      })),
    );
    await first.publish(workflowId, 'in', 'a');
    for (let n = 0; n < 6; n += 1) await first.pass(10 * MINUTE);
    const second = first.crash();
    for (let n = 0; n < 11; n += 1) await second.pass(5 * MINUTE);
    expect(second.store.events.setAside()).toEqual([]);
    await second.pass(5 * MINUTE);
    expect(second.store.events.setAside().length).toBe(1);
  });

  it('[OF-11] gives up a slot of a producer and records it; the next slot runs', async () => {
    const device = startEngine();
    const { add, outside, pass, runs, store } = device;
    const source = FEEDER('latest').replace(
      "publishes: ['entry'],",
      "publishes: ['entry'], giveUpAfter: '30m',",
    );
    outside.unreached = (host) => (host === 'feed.example' ? 'no connection' : null);
    const workflowId = await add(source, 'feeder');
    await pass(30 * MINUTE);
    const last = runs(workflowId).at(-1);
    expect(last?.state).toMatchObject({
      phase: 'failed',
      error: expect.stringContaining('Gave up after 30m') as string,
    });
    expect(outsideWaits(device.engine.context, workflowId)).toEqual([]);
    const count = runs(workflowId).length;
    outside.unreached = () => null;
    await pass(30 * MINUTE - 1);
    expect(runs(workflowId).length).toBe(count);
    await pass(1);
    expect(runs(workflowId).some(({ state }) => state.phase === 'committed')).toBe(true);
    expect(store.workflows.get(workflowId)?.status).toBe('active');
  });
});
