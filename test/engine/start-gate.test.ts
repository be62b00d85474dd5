// The gate before the lanes: a device whose peer knows more about it than it does itself, with real
// engines and real sync sessions.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartGate } from '#main/engine/start-gate.ts';
import { Session } from '#main/sync/session/session.ts';
import type { Cursor } from '#shared/sync/lineage.ts';
import { openStore } from '#test/support/open-store.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { linkPair } from '#test/sync/session/memory-link.ts';
import {
  AT_ONCE,
  clockForAll,
  connect,
  device,
  deviceOf,
  settle,
  type Device,
} from '#test/sync/session/two-devices.ts';

/** Reads before its effect. */
const READER = POSTER.replace(
  'if (!event)',
  'await ctx.tools.outside.get({});\n        if (!event)',
);

/** Publishes without an effect. */
const FORWARDER = POSTER.replace(/async mutate[\s\S]*?},\n\s*async next/, 'async next');

const HAD: Cursor = { lineage: 'l', version: 9 };
const ENDED = { name: 'ended', end: { name: 'closed', message: '' } } as const;
const LIVE = {
  name: 'live',
  peer: { deviceId: 'b', skewMs: 0 },
  incoming: 0,
  outgoing: 0,
} as const;

/** A stopped machine has no timers. */
function mortal(clock: VirtualClock): VirtualClock & { die(): void } {
  let isDead = false;
  return {
    ...clock,
    wakeAt: (at, wake) => clock.wakeAt(at, () => isDead || wake()),
    die: () => {
      isDead = true;
    },
  };
}

function gateOf({ engine }: EngineUnderTest): StartGate {
  const gate = new StartGate({ engine, peers: () => ['device-b'], wasUnclean: false });
  gate.start();
  return gate;
}

/** Connects as the host does: the sessions of `ours` tell its gate. */
async function link(ours: Device, gate: StartGate, theirs: Device, clock: VirtualClock) {
  const pair = linkPair({ ids: [ours.id, theirs.id] });
  const ourSession = new Session(
    ours.context,
    pair.ends[0],
    (state) => gate.session(theirs.id, state),
    () => undefined,
    (had) => gate.peerKnowsMore(theirs.id, had),
  );
  const sessions = [ourSession, new Session(theirs.context, pair.ends[1])] as const;
  for (const session of sessions) session.start();
  const connection = { link: pair, sessions, states: [[], []] } as const;
  await settle(clock, connection as never);
  return connection;
}

describe('a peer that knows more', () => {
  it('[GB-5] stops the lanes before the next effect until its rows are merged', async () => {
    const ours = startEngine();
    const gate = gateOf(ours);
    const workflowId = await ours.add(POSTER);
    await ours.publish(workflowId, 'in', 'm1');
    expect(ours.outside.arrived).toHaveLength(1);
    gate.peerKnowsMore('device-b', HAD);
    expect(gate.asking).toMatchObject({ reason: 'peer_knows_more', waitsFor: ['device-b'] });
    await ours.publish(workflowId, 'in', 'm2');
    gate.session('device-b', ENDED);
    await ours.pass(10_000);
    expect(ours.outside.arrived).toHaveLength(1);
    gate.session('device-b', LIVE);
    await ours.idle();
    expect(gate.asking).toBe(null);
    expect(ours.outside.arrived).toHaveLength(2);
  });

  it('[GB-5] a run that was preparing meanwhile starts over and keeps its event', async () => {
    const ours = startEngine();
    const gate = gateOf(ours);
    let go: () => void = () => undefined;
    const waiting = new Promise<void>((resolve) => (go = resolve));
    const reading = new Promise<void>((begun) => {
      ours.outside.reads.push(async () => {
        begun();
        await waiting;
        return { type: 'ok', result: { n: 1 } };
      });
    });
    const workflowId = await ours.add(READER);
    const event = { workflowId, topic: 'in', messageId: 'm1', title: 'm1', payload: null };
    await ours.engine.publish(event);
    await reading;
    gate.peerKnowsMore('device-b', HAD);
    go();
    await ours.idle();
    expect(ours.outside.arrived).toEqual([]);
    expect(ours.store.db.values('SELECT status FROM events')).toEqual(['pending']);
    gate.session('device-b', LIVE);
    await ours.idle();
    expect(ours.outside.arrived).toHaveLength(1);
    expect(ours.store.incidents.open()).toEqual([]);
  });

  it('[GB-5] is waited for one minute of silence, and asked again after a restart in between', async () => {
    const ours = startEngine();
    const gate = gateOf(ours);
    gate.peerKnowsMore('device-b', HAD);
    const again = new StartGate({
      engine: ours.engine,
      peers: () => ['device-b'],
      wasUnclean: false,
    });
    again.start();
    expect(again.asking).toMatchObject({ reason: 'peer_knows_more' });
    again.stop();
    await ours.pass(59_000);
    expect(gate.asking).not.toBe(null);
    await ours.pass(1000);
    expect(gate.asking).toBe(null);
    const last = new StartGate({
      engine: ours.engine,
      peers: () => ['device-b'],
      wasUnclean: false,
    });
    last.start();
    expect(last.asking).toBe(null);
  });

  it('[GB-6] is not waited for again after a person skipped the wait', async () => {
    const ours = startEngine();
    const gate = gateOf(ours);
    gate.peerKnowsMore('device-b', HAD);
    gate.continueNow();
    expect(gate.asking).toBe(null);
    gate.peerKnowsMore('device-b', HAD);
    expect(gate.asking).toBe(null);
  });

  it('[GB-5] a snapshot that acted before its peer was there: an incident, and nothing else is repeated', async () => {
    const clock = clockForAll();
    const snapshot = join(tempFolder(), 'test.db');
    const path = join(tempFolder(), 'test.db');
    const timers = mortal(clock);
    const first = startEngine({ store: openStore('device-a', path, AT_ONCE, timers) });
    const theirs = device('device-b', clock);
    const workflowId = await first.add(POSTER);
    first.engine.hold();
    await first.publish(workflowId, 'in', 'm1');
    await settle(clock, connect(deviceOf(first.store), theirs));
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, snapshot + suffix);
    first.engine.release();
    await first.idle();
    await first.publish(workflowId, 'in', 'm2');
    await settle(clock, connect(deviceOf(first.store), theirs));
    expect(first.outside.arrived).toHaveLength(2);
    first.kill();
    timers.die();
    first.store.db.close();

    const store = openStore('device-a', snapshot, AT_ONCE, clock);
    const ours = startEngine({ store, outside: first.outside });
    await ours.idle();
    expect(ours.outside.arrived, 'm1 again, before any peer was there').toHaveLength(3);
    const gate = gateOf(ours);
    await link(deviceOf(store), gate, theirs, clock);
    await ours.idle();
    expect(gate.asking).toBe(null);
    expect(store.incidents.open().map(({ kind }) => kind)).toEqual(['double_effect']);
    await ours.pass(3_600_000);
    expect(ours.outside.arrived, 'm2 is known as done').toHaveLength(3);
  });

  it('[GB-5] [IC-2] two runs without an effect, before and after, are an incident, too', async () => {
    const clock = clockForAll();
    const snapshot = join(tempFolder(), 'test.db');
    const path = join(tempFolder(), 'test.db');
    const timers = mortal(clock);
    const first = startEngine({ store: openStore('device-a', path, AT_ONCE, timers) });
    const theirs = device('device-b', clock);
    const workflowId = await first.add(FORWARDER);
    first.engine.hold();
    await first.publish(workflowId, 'in', 'm1');
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, snapshot + suffix);
    first.engine.release();
    await first.idle();
    await settle(clock, connect(deviceOf(first.store), theirs));
    first.kill();
    timers.die();
    first.store.db.close();
    const ours = startEngine({ store: openStore('device-a', snapshot, AT_ONCE, clock) });
    await ours.idle();
    await link(deviceOf(ours.store), gateOf(ours), theirs, clock);
    await ours.idle();
    expect(ours.store.incidents.open().map(({ kind }) => kind)).toEqual(['double_run']);
  });

  it('[GB-5] [CS-10] a database that goes back while it is open begins a new lineage', async () => {
    const clock = clockForAll();
    const ours = startEngine({ store: openStore('device-a', undefined, AT_ONCE, clock) });
    const theirs = device('device-b', clock);
    const us = deviceOf(ours.store);
    const workflowId = await ours.add(FORWARDER);
    const gate = gateOf(ours);
    await link(us, gate, theirs, clock);
    const cursor = theirs.store.peerCursors.get('device-a') as Cursor;
    // The memory of a virtual machine goes back, too: the device goes on in the same lineage.
    theirs.store.peerCursors.set('device-a', { ...cursor, version: cursor.version + 40 });
    const lineage = ours.store.lineages.newest;
    const { sessions } = await link(us, gate, theirs, clock);
    expect(sessions[0].state).toMatchObject({ name: 'ended', end: { name: 'went-back' } });
    expect(ours.store.lineages.newest).not.toBe(lineage);
    expect(gate.asking).toMatchObject({ reason: 'peer_knows_more' });
    await ours.publish(workflowId, 'in', 'm1');
    expect(ours.runs(workflowId)).toEqual([]);
    await link(us, gate, theirs, clock);
    await ours.idle();
    expect(gate.asking).toBe(null);
    expect(ours.runs(workflowId)).toHaveLength(1);
    await link(us, gate, theirs, clock);
    expect(theirs.store.db.value('SELECT count(*) FROM events')).toBe(
      ours.store.db.value('SELECT count(*) FROM events'),
    );
  });
});
