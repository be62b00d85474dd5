// Two devices, one workflow: who acts, who stops, and what becomes of what was open.
import { describe, expect, it } from 'vitest';
import { mutationId } from '#shared/ids.ts';
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

describe('who runs a workflow', () => {
  it('[OW-1] whoever adds it, in epoch 1; its sessions, runs and effects say so', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    await a.publish(workflowId, 'in', 'm1');
    expect(a.store.ownership.claims(workflowId)).toMatchObject([
      { epoch: 1, deviceId: 'a', how: 'added', release: null },
    ]);
    const [run] = a.runs(workflowId);
    expect(run?.epoch).toBe(1);
    expect(a.store.mutations.ofRun(run?.id ?? '')).toMatchObject({ epoch: 1, deviceId: 'a' });
    expect([a.engine.owns(workflowId), b.engine.owns(workflowId)]).toEqual([true, false]);
  });

  it('[OW-2] a device that does not own it runs nothing, whatever waits', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = await b.publish(workflowId, 'in', 'm1');
    expect([outside.arrived.length, b.runs(workflowId).length]).toEqual([0, 0]);
    await send(b, a);
    expect([outside.arrived.length, statusOf(a, eventId)]).toEqual([1, 'consumed']);
  });

  it('[OW-1] a workflow from before there were claims belongs to the device that made it', async () => {
    const { all, workflowId, outside } = await startDevices(['a']);
    const [a] = all as [EngineUnderTest];
    a.store.db.run('SELECT crsql_internal_sync_bit(1)');
    a.store.db.run('DELETE FROM ownership_claims');
    a.store.db.run('SELECT crsql_internal_sync_bit(0)');
    expect(a.engine.owns(workflowId)).toBe(false);
    put(a, workflowId, 'm1');
    await a.engine.stop();
    const again = a.restart();
    await again.idle();
    expect([again.engine.owns(workflowId), outside.arrived.length]).toEqual([true, 1]);
  });
});

describe('the fence', () => {
  it('[OW-3] a higher epoch that arrives before the effect stops it; the new owner makes it', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const eventId = put(a, workflowId, 'm1');
    await send(a, b);
    // The claim arrives between the checkpoint and the write that puts the effect in flight.
    const push = a.steps.push.bind(a.steps);
    a.steps.push = (...points: string[]) => {
      if (points[0] === 'in_flight:before' && b.engine.takeOver(workflowId)) {
        exchange(b.store.db, a.store.db);
      }
      return push(...points);
    };
    a.engine.wake(workflowId);
    await a.idle();
    await b.idle();
    expect(a.steps).toContain('in_flight:before');
    expect(a.steps).not.toContain('send:before');
    // Its run ended; the event is the new owner's to give back.
    expect(phasesOf(a, workflowId)).toEqual(['failed']);
    expect(statusOf(a, eventId)).toBe('reserved');
    expect(outside.arrived.length).toBe(1);
    await exchangeAll(all);
    expect(outside.arrived.length).toBe(1);
    expect(phasesOf(a, workflowId).toSorted()).toEqual(['committed', 'failed']);
    expect(incidentsOf(a)).toEqual([]);
  });

  it('[OW-4] what is in flight when the claim is lost is finished and written down, no more', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    const eventId = put(a, workflowId, 'm1');
    a.engine.wake(workflowId);
    await held.arrived;
    await send(a, b);
    expect(b.engine.takeOver(workflowId)).toMatchObject([{ fate: 'unknown' }]);
    exchange(b.store.db, a.store.db);
    held.answer();
    await a.idle();
    const [run] = a.runs(workflowId);
    // The maker's own word, beside that of the new owner; nothing of what comes after it.
    expect(a.store.handlerRuns.asMade(run?.id ?? '')).toEqual({ phase: 'mutated' });
    expect(
      a.store.events.list({ topicId: a.store.topics.ensure(workflowId, 'out').id, limit: 5 })
        .events,
    ).toEqual([]);
    await exchangeAll(all);
    // It happened, says who made it: the question is answered, and the new owner goes on.
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

describe('a claim that is lost', () => {
  it('[OW-3] [OW-4] although the new owner has not seen the run: nothing after the effect is kept', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    const eventId = put(a, workflowId, 'm1');
    a.engine.wake(workflowId);
    await held.arrived;
    b.engine.takeOver(workflowId);
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

  it('[OW-4] while it was not running: what it had in flight it calls unknown, not undone', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    put(a, workflowId, 'm1');
    a.engine.wake(workflowId);
    await held.arrived;
    b.engine.takeOver(workflowId);
    exchange(b.store.db, a.store.db);
    const again = a.restart();
    await again.idle();
    const [run] = again.runs(workflowId);
    expect(again.store.handlerRuns.asMade(run?.id ?? '')).toMatchObject({ phase: 'suspended' });
    expect(again.store.mutations.ofRun(run?.id ?? '')?.made.status).toBe('indeterminate');
    await exchangeAll([again, b]);
    expect(b.runs(workflowId)).toMatchObject([{ state: { phase: 'suspended' } }]);
    expect(outside.arrived.length).toBe(1);
  });
});

describe('a hand-over', () => {
  it('[OW-5] lets what is at work come to its end, then names the device, which goes on', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    const first = put(a, workflowId, 'm1');
    await a.store.clock.advance(1);
    const second = put(a, workflowId, 'm2');
    a.engine.wake(workflowId);
    await held.arrived;
    const asked = a.engine.ask(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    expect([asked.status, a.engine.handingOverTo(workflowId)]).toEqual(['waiting', 'b']);
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

  it('[OW-6] open questions go over: answered there, nothing is sent again', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    const eventId = await a.publish(workflowId, 'in', 'm1');
    a.engine.ask(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await a.idle();
    await send(a, b);
    const [run] = b.runs(workflowId);
    const unknown = mutationId(run?.id ?? '');
    expect(b.store.handlerRuns.get(run?.id ?? '')?.state.phase).toBe('suspended');
    b.engine.resolve('r', {
      mutationId: unknown,
      workflowId,
      resolution: 'user_assert_applied',
      result: 'seen',
    });
    await b.idle();
    await exchangeAll(all);
    for (const device of all) {
      expect(endsOf(device, workflowId)).toEqual(['a1 failed', 'b2 committed']);
      expect(device.store.mutations.get(unknown)?.state).toMatchObject({
        status: 'applied',
        result: 'seen',
      });
      // What the maker knew stands where it stood.
      expect(device.store.mutations.get(unknown)?.made.status).toBe('indeterminate');
      expect(statusOf(device, eventId)).toBe('consumed');
    }
    expect(outside.arrived.length).toBe(1);
  });

  it('[OW-6] what can be asked is asked by the new owner', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b'], { canReconcile: true });
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    const eventId = await a.publish(workflowId, 'in', 'm1');
    a.engine.ask(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
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

  it('[OW-16] what only the device that acted can look up is asked of a person', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b'], {
      canReconcile: true,
      isOfThisDevice: true,
    });
    const [a, b] = all as Pair;
    outside.answers.push({ type: 'ambiguous', error: 'cut off' });
    await a.publish(workflowId, 'in', 'm1');
    a.engine.ask(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await a.idle();
    const { asked } = outside;
    // On this device nothing of it is to be found.
    outside.reconciles.push({ type: 'did_not_happen' });
    await send(a, b);
    await b.pass(60_000);
    const [run] = b.runs(workflowId);
    expect(b.store.mutations.ofRun(run?.id ?? '')?.state.status).toBe('indeterminate');
    expect([outside.arrived.length, outside.asked]).toEqual([1, asked]);
  });

  it('[OW-7] not claimed yet, it is called back; both claimed, the smaller id owns and it is told', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    a.engine.ask(workflowId, { kind: 'handover', toDeviceId: 'b', epoch: 1 });
    await a.idle();
    expect(a.engine.owns(workflowId)).toBe(false);
    const eventId = await a.publish(workflowId, 'in', 'm1');
    expect(statusOf(a, eventId)).toBe('pending');
    expect(outside.arrived.length).toBe(0);
    // Both learn of the release, and each claims the next epoch before it hears of the other.
    exchange(a.store.db, b.store.db);
    expect(a.engine.takeOver(workflowId)).toEqual([]);
    expect(a.engine.owns(workflowId)).toBe(true);
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
  it('[OW-8] before the effect: the events wait again, and the new owner does it all', async () => {
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
    expect(b.engine.takeOver(workflowId)).toMatchObject([{ fate: 'starts_over' }]);
    await b.idle();
    expect(endsOf(b, workflowId)).toEqual(['a1 failed', 'b2 committed']);
    expect([statusOf(b, eventId), outside.arrived.length]).toEqual(['consumed', 1]);
  });

  it('[OW-8] in flight: nobody knows, and the workflow stands still until a person says', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b'], { canReconcile: true });
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    a.kill();
    put(a, workflowId, 'm1');
    put(a, workflowId, 'm2');
    a.engine.wake(workflowId);
    await held.arrived;
    await send(a, b);
    expect(b.engine.takeOver(workflowId)).toMatchObject([{ fate: 'unknown' }]);
    await b.pass(60_000);
    const [run] = b.runs(workflowId);
    expect(b.store.mutations.ofRun(run?.id ?? '')).toMatchObject({
      state: { status: 'indeterminate' },
      made: { status: 'in_flight' },
    });
    expect(run?.state).toMatchObject({ phase: 'suspended', reason: 'reconciliation' });
    expect([outside.arrived.length, outside.asked]).toEqual([1, 0]);
  });

  it('[OW-8] applied and not committed: another run goes on, the effect is not repeated', async () => {
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
    expect(b.engine.takeOver(workflowId)).toMatchObject([{ fate: 'goes_on' }]);
    await b.idle();
    expect(endsOf(b, workflowId)).toEqual(['a1 failed', 'b2 committed']);
    expect([statusOf(b, eventId), outside.arrived.length]).toEqual(['consumed', 1]);
  });

  it('[OW-9] an effect that the old owner made after all is not hidden behind "starts over"', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    const held = holdAnswer(outside);
    a.kill();
    put(a, workflowId, 'm1');
    const push = a.steps.push.bind(a.steps);
    // What b sees of it is the checkpoint; then a, which hears nothing, goes on.
    let isSeen = false;
    a.steps.push = (...points: string[]) => {
      if (points[0] === 'prepare:after' && !isSeen) {
        isSeen = true;
        exchange(a.store.db, b.store.db);
        b.store.workflows.setStatus(workflowId, 'paused', 'to look at it');
        b.engine.takeOver(workflowId);
      }
      return push(...points);
    };
    a.engine.wake(workflowId);
    await held.arrived;
    expect(b.runs(workflowId)).toMatchObject([{ state: { phase: 'failed' } }]);
    await send(a, b);
    // In flight there: so it is a question here, not a failure.
    expect(b.runs(workflowId)).toMatchObject([
      { state: { phase: 'suspended', reason: 'reconciliation' } },
    ]);
    b.engine.resume(workflowId);
    await b.idle();
    expect(outside.arrived.length).toBe(1);
  });

  it('[OW-10] no session of the old owner is left open', async () => {
    const { all, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as Pair;
    await a.publish(workflowId, 'in', 'm1');
    await send(a, b);
    expect(b.store.scriptRuns.activeIn(workflowId, 'main').length).toBe(1);
    b.engine.takeOver(workflowId);
    expect(b.store.scriptRuns.activeIn(workflowId, 'main')).toEqual([]);
  });

  it('[OW-11] a copied data folder owns nothing, and must take over to act', async () => {
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
    expect([copy.engine.owns(workflowId), first.outside.arrived.length]).toEqual([false, before]);
    copy.engine.takeOver(workflowId);
    await copy.publish(workflowId, 'in', 'm2');
    expect(copy.engine.owns(workflowId)).toBe(true);
    expect(first.outside.arrived.length).toBeGreaterThan(before);
  });
});
