// Two and three devices with one workflow: random publishes, take-overs, hand-overs, settling and
// exchanges of changes on any device. At the end all devices hold the same legal rows, and exactly the
// effects that were sent twice are incidents.
import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { PHASES } from '#shared/machines/handler-run.ts';
import { MUTATION_STATUSES } from '#shared/machines/mutation.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchangeAll, put, send, startDevices, type Devices } from '#test/support/start-devices.ts';
import type { EngineUnderTest } from '#test/support/start-engine.ts';

type Step =
  | { readonly type: 'publish'; readonly at: number; readonly id: string; readonly isLost: boolean }
  | { readonly type: 'take_over' | 'pass' | 'settle'; readonly at: number }
  | { readonly type: 'hand_over' | 'send'; readonly at: number; readonly to: number };

const device = fc.nat(2);
const step = (count: number): fc.Arbitrary<Step> => {
  const at = device.map((n) => n % count);
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('publish' as const),
        at,
        id: fc.constantFrom('m1', 'm2', 'm3'),
        isLost: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('take_over' as const), at }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('pass' as const), at }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('settle' as const), at }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('hand_over' as const), at, to: at }) },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('send' as const), at, to: at }) },
  );
};

/** A person settles the unknown outcomes that this device shows; all of them were applied. */
async function settle({ engine, store, idle }: EngineUnderTest, devices: Devices): Promise<void> {
  for (const mutation of store.mutations.byStatus('indeterminate')) {
    if ('resolved' in mutation.state) continue;
    engine.decisions.settle(store.context.ids.ulid(), {
      mutationId: mutation.id,
      workflowId: devices.workflowId,
      resolution: 'user_assert_applied',
      result: 'seen',
    });
  }
  await idle();
}

async function perform(devices: Devices, next: Step): Promise<void> {
  const { all, outside, workflowId } = devices;
  const at = all[next.at] as EngineUnderTest;
  switch (next.type) {
    case 'publish':
      if (next.isLost && at.engine.ownership.owns(workflowId)) {
        outside.answers.push({ type: 'ambiguous', error: 'cut off' });
      }
      await at.publish(workflowId, 'in', next.id, next.id);
      outside.answers.length = 0;
      return;
    case 'take_over':
      at.engine.ownership.takeOver(workflowId);
      return at.idle();
    case 'hand_over': {
      const epoch = at.store.ownership.epoch(workflowId);
      const to = all[next.to] as EngineUnderTest;
      if (epoch === null || at === to) return;
      const toDeviceId = to.store.context.deviceId;
      at.engine.decisions.submit(workflowId, { kind: 'handover', toDeviceId, epoch });
      return at.idle();
    }
    case 'pass':
      return at.pass(60_000);
    case 'settle':
      return settle(at, devices);
    case 'send':
      if (next.at !== next.to) await send(at, all[next.to] as EngineUnderTest);
  }
}

function dump({ store }: EngineUnderTest): { [table: string]: unknown[] } {
  return dumpRows(store.db);
}

function expectLegal({ store }: EngineUnderTest): void {
  for (const { phase } of store.db.all<{ phase: string }>('SELECT phase FROM handler_runs')) {
    expect(PHASES).toContain(phase);
  }
  for (const { status } of store.db.all<{ status: string }>('SELECT status FROM mutations')) {
    expect(MUTATION_STATUSES).toContain(status);
  }
  // A reserved event belongs to an open run, a consumed one to a committed run.
  const illegal = store.db.all(
    `SELECT events.id, events.status, handler_runs.phase FROM events
     JOIN handler_runs ON handler_runs.id = events.reserved_by_run_id
     WHERE (events.status = 'reserved' AND phase IN ('committed', 'failed'))
        OR (events.status = 'consumed' AND phase <> 'committed')`,
  );
  expect(illegal).toEqual([]);
}

/** How often each effect reached the outside. */
function timesSent({ outside }: Devices): Map<string, number> {
  const times = new Map<string, number>();
  for (const { effectId } of outside.arrived) {
    times.set(effectId, (times.get(effectId) ?? 0) + 1);
  }
  return times;
}

describe('devices that share a workflow', () => {
  for (const names of [
    ['a', 'b'],
    ['a', 'b', 'c'],
  ]) {
    it.prop([fc.array(step(names.length), { minLength: 4, maxLength: 20 })], { numRuns: 20 })(
      `[OW-12] [RP-1] [RP-2] [IC-1] ${names.length} devices hold equal, legal rows, and an incident for each effect that was sent twice`,
      async (steps) => {
        const devices = await startDevices(names);
        const { all, workflowId } = devices;
        for (const next of steps) await perform(devices, next);
        devices.outside.answers.length = 0;
        await exchangeAll(all);
        // The owner gets all resolutions, and time to carry them out.
        for (let round = 0; round < 3; round += 1) {
          for (const one of all) {
            await settle(one, devices);
            await one.pass(600_000);
          }
          await exchangeAll(all);
        }
        const [first, ...others] = all.map(dump);
        for (const other of others) expect(other).toEqual(first);
        for (const one of all) expectLegal(one);
        const [a] = all as [EngineUnderTest];
        const twice = [...timesSent(devices)].filter(([, times]) => times > 1).map(([id]) => id);
        const found = a.store.incidents.open();
        const doubled = found.filter(({ kind }) => kind === 'double_effect');
        expect(doubled.map(({ about }) => about).toSorted()).toEqual(twice.toSorted());
        // Without a take-over, no effect is sent twice and there is no incident.
        if (!steps.some(({ type }) => type === 'take_over')) {
          expect([twice, found]).toEqual([[], []]);
        }
        expect(a.store.handlerRuns.open(workflowId)).toEqual([]);
      },
      240_000,
    );
  }

  it('[IC-1] an effect sent by both sides of a partition is one incident, the same on each device', async () => {
    const devices = await startDevices(['a', 'b']);
    const { all, workflowId, outside } = devices;
    const [a, b] = all as [EngineUnderTest, EngineUnderTest];
    put(a, workflowId, 'm1');
    put(b, workflowId, 'm1');
    b.engine.ownership.takeOver(workflowId);
    a.engine.wake(workflowId);
    await Promise.all([a.idle(), b.idle()]);
    expect(outside.arrived.length).toBe(2);
    await exchangeAll(all);
    expect(dump(a)).toEqual(dump(b));
    expect(a.store.incidents.open()).toMatchObject([
      { kind: 'double_effect', about: outside.arrived[0]?.effectId },
    ]);
  });
});
