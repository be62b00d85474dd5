// A device that doesn't know what became of its own effect, because it crashed, writes that beside what
// it knew and beside what a later owner writes. Two and three devices; the maker may not know that it
// lost the workflow.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReconcileOutcome } from '#main/tools/tool.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { NOT_THERE, type Outside } from '#test/support/fake-outside.ts';
import { openStore } from '#test/support/open-store.ts';
import { exchangeAll, holdAnswer, put, send, startDevices } from '#test/support/start-devices.ts';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

type Resolution = 'user_assert_failed' | 'user_assert_applied';

const HAPPENED = { type: 'happened', result: { found: true } } as const;

/** A person decides on this device. */
async function decide(on: EngineUnderTest, resolution: Resolution): Promise<void> {
  const [mutationId = ''] = on.store.db.values<string>('SELECT id FROM mutations');
  const [workflowId = ''] = on.store.workflows.ids();
  on.engine.decisions.settle('r1', { mutationId, workflowId, resolution, result: 'seen' });
  await on.idle();
}

const effectsOf = ({ store }: EngineUnderTest): unknown[] =>
  store.db.all(
    'SELECT status, resolved_by AS resolvedBy FROM mutations ORDER BY device_id, handler_run_id',
  );
const columnsOf = ({ store }: EngineUnderTest): unknown[] =>
  store.db.values(
    `SELECT concat_ws(' ', coalesce(outcome ->> 'status', '-'), coalesce(recovered ->> 'status', '-'),
       coalesce(takeover ->> 'status', '-')) FROM mutations ORDER BY device_id, handler_run_id`,
  );
const incidentsOf = ({ store }: EngineUnderTest): string[] =>
  store.incidents.open().map(({ kind }) => kind);
const endsOf = ({ store }: EngineUnderTest): string[] =>
  store.handlerRuns
    .list({ limit: 9 })
    .runs.map(({ state, deviceId }) => `${deviceId} ${state.phase}`)
    .toSorted();

/** The first of these devices is killed during its call; the others know that it is in flight. */
async function killedDuringTheCall(names: readonly string[]): Promise<{
  readonly maker: EngineUnderTest;
  readonly others: readonly EngineUnderTest[];
  readonly workflowId: string;
  readonly outside: Outside;
}> {
  const { all, outside, workflowId } = await startDevices(names, { canReconcile: true });
  const [before, ...others] = all as [EngineUnderTest, ...EngineUnderTest[]];
  const held = holdAnswer(outside);
  put(before, workflowId, 'm1');
  before.engine.wake(workflowId);
  await held.arrived;
  for (const other of others) await send(before, other);
  return { maker: before, others, workflowId, outside };
}

describe('a maker that recovers after a take-over that it does not know of', () => {
  async function takenOver(): Promise<{
    readonly outside: Outside;
    /** Not started again yet. */
    readonly killed: EngineUnderTest;
    readonly owner: EngineUnderTest;
  }> {
    const { maker, others, workflowId, outside } = await killedDuringTheCall(['a', 'b']);
    const [owner] = others as [EngineUnderTest];
    owner.engine.ownership.takeOver(workflowId);
    await owner.idle();
    return { outside, killed: maker, owner };
  }

  async function restart(killed: EngineUnderTest): Promise<EngineUnderTest> {
    const maker = killed.crash();
    await maker.idle();
    return maker;
  }

  it("[OW-12] [DT-5] checks many times, and the new owner's decision stays", async () => {
    const { killed, owner } = await takenOver();
    await decide(owner, 'user_assert_failed');
    const [decided] = effectsOf(owner);
    expect(decided).toEqual({ status: 'failed', resolvedBy: 'user_assert_failed' });
    const maker = await restart(killed);
    await maker.pass(120_000);
    expect(effectsOf(maker)).toEqual([{ status: 'needs_reconcile', resolvedBy: null }]);
    await exchangeAll([maker, owner]);
    for (const device of [maker, owner]) {
      expect(effectsOf(device)[0]).toEqual(decided);
      expect(columnsOf(device)[0]).toBe('in_flight needs_reconcile failed');
      expect(endsOf(device)).toEqual(['a failed', 'b committed']);
      expect(incidentsOf(device)).toEqual([]);
    }
  });

  it("[OW-12] [IC-2] its check contradicts the new owner's decision, which stays, with an incident", async () => {
    const { killed, owner, outside } = await takenOver();
    await decide(owner, 'user_assert_failed');
    outside.reconciles.push(HAPPENED);
    const maker = await restart(killed);
    expect(effectsOf(maker)).toEqual([{ status: 'applied', resolvedBy: null }]);
    await exchangeAll([maker, owner]);
    for (const device of [maker, owner]) {
      expect(effectsOf(device)[0]).toEqual({ status: 'failed', resolvedBy: 'user_assert_failed' });
      expect(incidentsOf(device)).toContain('late_finding');
    }
  });

  it('[OW-12] its doubt stays beside the question of the new owner, which a person answers', async () => {
    const { killed, owner, outside } = await takenOver();
    expect(effectsOf(owner)).toEqual([{ status: 'indeterminate', resolvedBy: null }]);
    const maker = await restart(killed);
    await exchangeAll([maker, owner]);
    expect(columnsOf(owner)).toEqual(['in_flight needs_reconcile indeterminate']);
    expect(effectsOf(owner)).toEqual([{ status: 'indeterminate', resolvedBy: null }]);
    // It lost the workflow, so it checks no more.
    const { asked } = outside;
    await maker.pass(600_000);
    expect(outside.asked).toBe(asked);
    await decide(owner, 'user_assert_applied');
    await exchangeAll([maker, owner]);
    for (const device of [maker, owner]) {
      expect(columnsOf(device)).toEqual(['in_flight needs_reconcile applied']);
      expect(endsOf(device)).toEqual(['a failed', 'b committed']);
    }
    expect(outside.arrived.length).toBe(1);
  });

  /** The maker learns of the take-over during its check, which then finds the effect. */
  async function checkedMeanwhile(
    killed: EngineUnderTest,
    owner: EngineUnderTest,
    outside: Outside,
  ): Promise<EngineUnderTest> {
    let answer: (outcome: ReconcileOutcome) => void = () => undefined;
    const asked = new Promise<void>((arrived) => {
      const { shift } = outside.reconciles;
      outside.reconciles.shift = () => {
        outside.reconciles.shift = shift;
        arrived();
        return new Promise<ReconcileOutcome>((resolve) => (answer = resolve)) as never;
      };
    });
    const maker = killed.crash();
    await asked;
    exchange(owner.store.db, maker.store.db);
    answer(HAPPENED);
    await maker.idle();
    return maker;
  }

  it('[OW-12] [OW-4] a check under way when the claim is lost is recorded in its own columns', async () => {
    const { killed, owner, outside } = await takenOver();
    const [before] = owner.store.db.all('SELECT takeover FROM handler_runs');
    const maker = await checkedMeanwhile(killed, owner, outside);
    expect(columnsOf(maker)).toEqual(['in_flight applied indeterminate']);
    expect(maker.store.db.all('SELECT takeover FROM handler_runs')).toEqual([before]);
    await exchangeAll([maker, owner]);
    for (const device of [maker, owner]) {
      expect(effectsOf(device)).toEqual([{ status: 'applied', resolvedBy: null }]);
      expect(endsOf(device)).toEqual(['a failed', 'b committed']);
    }
    expect(outside.arrived.length).toBe(1);
  });

  it('[OW-12] [IC-2] what its check found is not sent again by the new owner', async () => {
    const { killed, owner, outside } = await takenOver();
    const [workflowId = ''] = owner.store.workflows.ids();
    owner.store.workflows.setStatus(workflowId, 'paused', 'in the test');
    await decide(owner, 'user_assert_failed');
    const maker = await checkedMeanwhile(killed, owner, outside);
    await exchangeAll([maker, owner]);
    expect(columnsOf(owner)).toEqual(['in_flight applied failed']);
    owner.store.workflows.setStatus(workflowId, 'active');
    owner.engine.wake(workflowId);
    await owner.idle();
    expect(endsOf(owner)).toEqual(['a failed', 'b committed']);
    expect(outside.arrived.length).toBe(1);
    expect(incidentsOf(owner)).toEqual(['late_finding']);
  });
});

describe('a maker that recovers and still owns the workflow', () => {
  it.each([
    ['finds that it happened', [HAPPENED], ['a committed'], 'in_flight applied -'],
    [
      'finds twice that it did not happen',
      [NOT_THERE, NOT_THERE],
      ['a committed', 'a failed'],
      'in_flight failed -',
    ],
  ])(
    '[OW-12] [DT-5] %s, and a later take-over changes nothing',
    async (_name, answers, ends, columns) => {
      const { maker: killed, others, workflowId, outside } = await killedDuringTheCall(['a', 'b']);
      const [owner] = others as [EngineUnderTest];
      outside.reconciles.push(...answers);
      const maker = killed.crash();
      for (let minute = 0; minute < 10; minute += 1) await maker.pass(60_000);
      expect(columnsOf(maker)[0]).toBe(columns);
      expect(endsOf(maker)).toEqual(ends);
      await send(maker, owner);
      owner.engine.ownership.takeOver(workflowId);
      await owner.idle();
      await exchangeAll([maker, owner]);
      expect(columnsOf(owner)[0]).toBe(columns);
      expect([endsOf(maker), endsOf(owner)]).toEqual([ends, ends]);
    },
  );

  it('[OW-12] a person decides there, and a take-over that knows nothing of it does not undo that', async () => {
    const { maker: killed, others, workflowId, outside } = await killedDuringTheCall(['a', 'b']);
    const [owner] = others as [EngineUnderTest];
    const maker = killed.crash();
    await maker.idle();
    for (let hour = 0; hour < 24; hour += 1) await maker.pass(3_600_000);
    await decide(maker, 'user_assert_applied');
    expect(columnsOf(maker)).toEqual(['in_flight applied -']);
    owner.engine.ownership.takeOver(workflowId);
    await owner.idle();
    await exchangeAll([maker, owner]);
    for (const device of [maker, owner]) {
      expect(columnsOf(device)).toEqual(['in_flight applied indeterminate']);
      expect(effectsOf(device)).toEqual([{ status: 'applied', resolvedBy: 'user_assert_applied' }]);
      expect(endsOf(device)).toEqual(['a committed']);
    }
    expect(outside.arrived.length).toBe(1);
  });
});

describe('a maker that lost both its outcome and the workflow', () => {
  it('[DT-5] [OW-4] leaves the outcome that a third device knows', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b', 'c']);
    const [before, owner, knows] = all as [EngineUnderTest, EngineUnderTest, EngineUnderTest];
    const held = holdAnswer(outside);
    put(before, workflowId, 'm1');
    before.engine.wake(workflowId);
    await held.arrived;
    await send(before, owner);
    const disk = join(tempFolder(), 'a.db');
    for (const suffix of ['', '-wal']) copyFileSync(before.store.path + suffix, disk + suffix);
    held.answer();
    await before.idle();
    await send(before, knows);
    expect(effectsOf(knows)).toEqual([{ status: 'applied', resolvedBy: null }]);
    before.kill();
    before.store.db.close();
    owner.engine.ownership.takeOver(workflowId);
    await owner.idle();
    const store = openStore('a', disk);
    exchange(owner.store.db, store.db);
    const maker = startEngine({ store, outside });
    await maker.idle();
    expect(columnsOf(maker)).toEqual(['in_flight indeterminate indeterminate']);
    await exchangeAll([maker, owner, knows]);
    for (const device of [maker, owner, knows]) {
      expect(effectsOf(device)).toEqual([{ status: 'applied', resolvedBy: null }]);
    }
    expect(outside.arrived.length).toBe(1);
  });
});
