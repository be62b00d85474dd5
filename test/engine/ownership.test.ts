// Ownership of one workflow on two devices: fence, hand-over, take-over, and the runs that are open.
import { describe, expect, it } from 'vitest';
import { mutationId } from '#shared/ids.ts';
import { NOT_THERE } from '#test/support/fake-outside.ts';
import { exchangeAll, holdAnswer, put, send, startDevices } from '#test/support/start-devices.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore } from '#test/support/open-store.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

type Pair = readonly [EngineUnderTest, EngineUnderTest];

const statusOf = ({ store }: EngineUnderTest, eventId: string): string | undefined =>
  store.events.get(eventId)?.state.status;
const phasesOf = (device: EngineUnderTest, workflowId: string): string[] =>
  device.runs(workflowId).map(({ state }) => state.phase);
const endsOf = (device: EngineUnderTest, workflowId: string): string[] =>
  device
    .runs(workflowId)
    .map(({ state, deviceId, epoch }) => `${deviceId}${epoch} ${state.phase}`)
    .toSorted();
const incidentsOf = ({ store }: EngineUnderTest): string[] =>
  store.incidents.open().map(({ kind }) => kind);

describe('the owner', () => {
  it('[OW-1] is the device that adds the workflow, in epoch 1; runs and effects carry the epoch', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    await a.publish(workflowId, 'in', 'm1');
    expect(a.store.ownership.claims(workflowId)).toMatchObject([
      { epoch: 1, deviceId: 'a', how: 'added', release: null },
    ]);
    const [run] = a.runs(workflowId);
    expect(run?.epoch).toBe(1);
    expect(a.store.mutations.ofRun(run?.id ?? '')).toMatchObject({ epoch: 1, deviceId: 'a' });
    expect([a.engine.ownership.owns(workflowId), b.engine.ownership.owns(workflowId)]).toEqual([
      true,
      false,
    ]);
  });

  it('[OW-2] handles an event of another device, which runs nothing itself', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = await b.publish(workflowId, 'in', 'm1');
    expect([outside.arrived.length, b.runs(workflowId).length]).toEqual([0, 0]);
    await send(b, a);
    expect([outside.arrived.length, statusOf(a, eventId)]).toEqual([1, 'consumed']);
  });

  it('[OW-1] of a workflow without claims is, after a restart, the device that created it', async () => {
    const { all, workflowId, outside } = await startDevices(['a']);
    const [a] = all as [EngineUnderTest];
    a.store.db.run('SELECT crsql_internal_sync_bit(1)');
    a.store.db.run('DELETE FROM ownership_claims');
    a.store.db.run('SELECT crsql_internal_sync_bit(0)');
    expect(a.engine.ownership.owns(workflowId)).toBe(false);
    put(a, workflowId, 'm1');
    await a.engine.stop();
    const again = a.restart();
    await again.idle();
    expect([again.engine.ownership.owns(workflowId), outside.arrived.length]).toEqual([true, 1]);
  });
});

describe('the fence', () => {
  it('[OW-3] a higher epoch that arrives before the effect is in flight stops it; the new owner sends it', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = put(a, workflowId, 'm1');
    await send(a, b);
    // The claim arrives between the checkpoint and the write that puts the effect in flight.
    const push = a.steps.push.bind(a.steps);
    a.steps.push = (...points: string[]) => {
      if (points[0] === 'in_flight:before' && b.engine.ownership.takeOver(workflowId)) {
        exchange(b.store.db, a.store.db);
      }
      return push(...points);
    };
    a.engine.wake(workflowId);
    await a.idle();
    await b.idle();
    expect(a.steps).toContain('in_flight:before');
    expect(a.steps).not.toContain('send:before');
    // The run ended. The new owner releases the event.
    expect(phasesOf(a, workflowId)).toEqual(['failed']);
    expect(statusOf(a, eventId)).toBe('reserved');
    expect(outside.arrived.length).toBe(1);
    await exchangeAll(all);
    expect(outside.arrived.length).toBe(1);
    expect(phasesOf(a, workflowId).toSorted()).toEqual(['committed', 'failed']);
    expect(incidentsOf(a)).toEqual([]);
  });

  it('[OW-4] an effect in flight when the claim is lost is recorded by its sender; the new owner continues', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    const eventId = put(a, workflowId, 'm1');
    a.engine.wake(workflowId);
    await held.arrived;
    await send(a, b);
    expect(b.engine.ownership.takeOver(workflowId)).toMatchObject([{ fate: 'unknown' }]);
    exchange(b.store.db, a.store.db);
    held.answer();
    await a.idle();
    const [run] = a.runs(workflowId);
    // The sender writes its own column beside the new owner's, and publishes nothing.
    expect(a.store.handlerRuns.asMade(run?.id ?? '')).toEqual({ phase: 'mutated' });
    expect(
      a.store.events.list({ topicId: a.store.topics.ensure(workflowId, 'out').id, limit: 5 })
        .events,
    ).toEqual([]);
    await exchangeAll(all);
    // The sender's outcome settles the unknown one, and the new owner continues.
    expect(outside.arrived.length).toBe(1);
    expect([statusOf(a, eventId), statusOf(b, eventId)]).toEqual(['consumed', 'consumed']);
    expect(endsOf(b, workflowId)).toEqual(['a1 failed', 'b2 committed']);
    const out = b.store.topics.ensure(workflowId, 'out');
    expect(b.store.events.peek(out.id, 5)).toMatchObject([
      { payload: { status: 'applied', result: { late: true } } },
    ]);
    expect(incidentsOf(b)).toEqual([]);
  });
});

describe('a lost claim', () => {
  it('[OW-3] [OW-4] the sender records its effect and nothing after it, also if the new owner has not seen the run', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    const eventId = put(a, workflowId, 'm1');
    a.engine.wake(workflowId);
    await held.arrived;
    b.engine.ownership.takeOver(workflowId);
    exchange(b.store.db, a.store.db);
    held.answer();
    await a.idle();
    const [run] = a.runs(workflowId);
    expect(a.store.handlerRuns.asMade(run?.id ?? '')).toEqual({ phase: 'mutated' });
    expect(statusOf(a, eventId)).toBe('reserved');
    await exchangeAll(all);
    expect(endsOf(b, workflowId)).toEqual(['a1 failed', 'b2 committed']);
    expect([statusOf(a, eventId), outside.arrived.length]).toEqual(['consumed', 1]);
  });

  it('[OW-4] a sender that restarts after losing the claim marks its effect in flight as unknown', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    put(a, workflowId, 'm1');
    a.engine.wake(workflowId);
    await held.arrived;
    b.engine.ownership.takeOver(workflowId);
    exchange(b.store.db, a.store.db);
    const again = a.restart();
    await again.idle();
    const [run] = again.runs(workflowId);
    expect(again.store.handlerRuns.asMade(run?.id ?? '')).toMatchObject({ phase: 'suspended' });
    expect(again.store.mutations.ofRun(run?.id ?? '')?.stateOfMaker.status).toBe('indeterminate');
    await exchangeAll([again, b]);
    expect(b.runs(workflowId)).toMatchObject([{ state: { phase: 'suspended' } }]);
    expect(outside.arrived.length).toBe(1);
  });
});

describe('a hand-over', () => {
  it('[OW-5] lets the current run finish, then releases the workflow to the device that claims it and continues', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    const first = put(a, workflowId, 'm1');
    await a.store.clock.advance(1);
    const second = put(a, workflowId, 'm2');
    a.engine.wake(workflowId);
    await held.arrived;
    const asked = a.engine.decisions.submit(workflowId, {
      kind: 'handover',
      toDeviceId: 'b',
      epoch: 1,
    });
    expect([asked.status, a.engine.ownership.handingOverTo(workflowId)]).toEqual(['waiting', 'b']);
    expect(a.store.ownership.of(workflowId).type).toBe('owned');
    held.answer();
    await a.idle();
    expect(a.store.ownership.of(workflowId)).toMatchObject({ type: 'released', toDeviceId: 'b' });
    expect(a.store.intents.get(asked.id)?.status).toBe('done');
    expect([statusOf(a, first), statusOf(a, second)]).toEqual(['consumed', 'pending']);
    expect(phasesOf(a, workflowId)).toEqual(['committed']);
    await send(a, b);
    expect(b.store.ownership.of(workflowId)).toMatchObject({
      type: 'owned',
      claim: { epoch: 2, deviceId: 'b', how: 'handover', fromDeviceId: 'a', fromEpoch: 1 },
    });
    expect(statusOf(b, second)).toBe('consumed');
    await exchangeAll(all);
    expect(endsOf(a, workflowId)).toEqual(['a1 committed', 'b2 committed']);
    expect([outside.arrived.length, incidentsOf(a)]).toEqual([2, []]);
  });

  it('[OW-6] an unknown outcome can be settled on the new owner, and nothing is sent again', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    const eventId = await a.publish(workflowId, 'in', 'm1');
    a.engine.decisions.submit(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await a.idle();
    await send(a, b);
    const [run] = b.runs(workflowId);
    const unknown = mutationId(run?.id ?? '');
    expect(b.store.handlerRuns.get(run?.id ?? '')?.state.phase).toBe('suspended');
    b.engine.decisions.settle('r', {
      mutationId: unknown,
      workflowId,
      resolution: 'user_assert_applied',
      result: 'seen',
    });
    await b.idle();
    await exchangeAll(all);
    for (const device of all) {
      expect(endsOf(device, workflowId)).toEqual(['a1 failed', 'b2 committed']);
      expect(device.store.handlerRuns.get(run?.id ?? '')?.state).toMatchObject({
        error: expect.stringMatching(
          /^The outcome is settled\. .* Run \w+ continues it\.$/,
        ) as string,
      });
      expect(device.store.mutations.get(unknown)?.state).toMatchObject({
        status: 'applied',
        result: 'seen',
      });
      // The sender's own column is unchanged.
      expect(device.store.mutations.get(unknown)?.made.status).toBe('indeterminate');
      expect(statusOf(device, eventId)).toBe('consumed');
    }
    expect(outside.arrived.length).toBe(1);
  });

  it('[OW-6] the new owner continues the checks', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b'], { canReconcile: true });
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    const eventId = await a.publish(workflowId, 'in', 'm1');
    a.engine.decisions.submit(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await a.idle();
    outside.reconciles.push({ type: 'happened', result: 'found' });
    await send(a, b);
    await b.pass(60_000);
    await exchangeAll(all);
    expect([outside.arrived.length, statusOf(a, eventId), statusOf(b, eventId)]).toEqual([
      1,
      'consumed',
      'consumed',
    ]);
    expect(incidentsOf(a)).toEqual([]);
  });

  it('[OW-16] the new owner does not check an effect of a device-local tool; a person settles it', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b'], {
      canReconcile: true,
      isOfThisDevice: true,
    });
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    await a.publish(workflowId, 'in', 'm1');
    a.engine.decisions.submit(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await a.idle();
    const { asked } = outside;
    // A check on this device would not find the effect.
    outside.reconciles.push(NOT_THERE, NOT_THERE);
    await send(a, b);
    await b.pass(60_000);
    const [run] = b.runs(workflowId);
    expect(b.store.mutations.ofRun(run?.id ?? '')?.state.status).toBe('indeterminate');
    expect([outside.arrived.length, outside.asked]).toEqual([1, asked]);
  });

  it('[OW-7] an unclaimed hand-over can be revoked; if both claim, the smaller id owns and the tie is an incident', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    a.engine.decisions.submit(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await a.idle();
    expect(a.engine.ownership.owns(workflowId)).toBe(false);
    const eventId = await a.publish(workflowId, 'in', 'm1');
    expect(statusOf(a, eventId)).toBe('pending');
    expect(outside.arrived.length).toBe(0);
    // Both receive the release, and each claims the next epoch before it receives the other claim.
    exchange(a.store.db, b.store.db);
    expect(a.engine.ownership.takeOver(workflowId)).toEqual([]);
    expect(a.engine.ownership.owns(workflowId)).toBe(true);
    await exchangeAll(all);
    for (const { store } of all) {
      expect(store.ownership.of(workflowId)).toMatchObject({
        type: 'owned',
        claim: { deviceId: 'a', epoch: 2 },
        rivals: ['b'],
      });
    }
    expect(incidentsOf(a)).toContain('epoch_tie');
  });
});

describe('a take-over', () => {
  it('[OW-8] before the effect, the work starts over on the new owner', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = put(a, workflowId, 'm1');
    // Killed between the checkpoint and the effect.
    a.kill();
    a.engine.context.commits.commitDurably = () => new Promise(() => undefined);
    a.engine.wake(workflowId);
    while (!a.steps.includes('in_flight:before')) await new Promise(setImmediate);
    await send(a, b);
    expect(statusOf(b, eventId)).toBe('reserved');
    expect(b.engine.ownership.takeOver(workflowId)).toMatchObject([{ fate: 'starts_over' }]);
    await b.idle();
    expect(endsOf(b, workflowId)).toEqual(['a1 failed', 'b2 committed']);
    expect([statusOf(b, eventId), outside.arrived.length]).toEqual(['consumed', 1]);
  });

  it('[OW-8] in flight, the outcome is unknown, and nothing is sent or checked', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b'], { canReconcile: true });
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    a.kill();
    put(a, workflowId, 'm1');
    put(a, workflowId, 'm2');
    a.engine.wake(workflowId);
    await held.arrived;
    await send(a, b);
    expect(b.engine.ownership.takeOver(workflowId)).toMatchObject([{ fate: 'unknown' }]);
    await b.pass(60_000);
    const [run] = b.runs(workflowId);
    expect(b.store.mutations.ofRun(run?.id ?? '')).toMatchObject({
      state: { status: 'indeterminate' },
      made: { status: 'in_flight' },
    });
    expect(run?.state).toMatchObject({ phase: 'suspended', reason: 'reconciliation' });
    expect([outside.arrived.length, outside.asked]).toEqual([1, 0]);
  });

  it('[OW-8] after the effect, another run continues, and nothing is sent again', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = put(a, workflowId, 'm1');
    a.kill();
    const { commits } = a.engine.context;
    const commit = commits.commit.bind(commits);
    commits.commit = (work) =>
      a.steps.includes('commit:before') ? new Promise(() => undefined) : commit(work);
    a.engine.wake(workflowId);
    while (!a.steps.includes('commit:before')) await new Promise(setImmediate);
    await send(a, b);
    expect(b.engine.ownership.takeOver(workflowId)).toMatchObject([{ fate: 'goes_on' }]);
    await b.idle();
    expect(endsOf(b, workflowId)).toEqual(['a1 failed', 'b2 committed']);
    expect([statusOf(b, eventId), outside.arrived.length]).toEqual(['consumed', 1]);
  });

  it('[OW-9] a run that started over is suspended when the old owner turns out to have its effect in flight', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    a.kill();
    put(a, workflowId, 'm1');
    const push = a.steps.push.bind(a.steps);
    // b receives the checkpoint only. Then a, which received no claim, continues.
    let isSeen = false;
    a.steps.push = (...points: string[]) => {
      if (points[0] === 'prepare:after' && !isSeen) {
        isSeen = true;
        exchange(a.store.db, b.store.db);
        b.store.workflows.setStatus(workflowId, 'paused', 'to look at it');
        b.engine.ownership.takeOver(workflowId);
      }
      return push(...points);
    };
    a.engine.wake(workflowId);
    await held.arrived;
    expect(b.runs(workflowId)).toMatchObject([{ state: { phase: 'failed' } }]);
    await send(a, b);
    // In flight on a, so the outcome is unknown on b, not failed.
    expect(b.runs(workflowId)).toMatchObject([
      { state: { phase: 'suspended', reason: 'reconciliation' } },
    ]);
    b.engine.commands.resume(workflowId);
    await b.idle();
    expect(outside.arrived.length).toBe(1);
  });

  it('[OW-10] ends the open session of the old owner', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    expect(b.store.scriptRuns.activeIn(workflowId, 'main').length).toBe(1);
    b.engine.ownership.takeOver(workflowId);
    expect(b.store.scriptRuns.activeIn(workflowId, 'main')).toEqual([]);
  });

  it('[OW-11] lets a copied data folder act, which owns nothing before', async () => {
    const first = startEngine();
    const workflowId = await first.add(POSTER);
    put(first, workflowId, 'm1');
    await first.engine.stop();
    first.store.db.exec(`VACUUM INTO '${first.store.path}.copy'`);
    const copy = startEngine({
      store: openStore('the-copy', `${first.store.path}.copy`),
      outside: first.outside,
    });
    await copy.idle();
    const before = first.outside.arrived.length;
    copy.engine.wake(workflowId);
    await copy.idle();
    expect([copy.engine.ownership.owns(workflowId), first.outside.arrived.length]).toEqual([
      false,
      before,
    ]);
    copy.engine.ownership.takeOver(workflowId);
    await copy.publish(workflowId, 'in', 'm2');
    expect(copy.engine.ownership.owns(workflowId)).toBe(true);
    expect(first.outside.arrived.length).toBeGreaterThan(before);
  });
});
