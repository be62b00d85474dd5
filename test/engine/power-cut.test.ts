// Power cuts: the database file and its WAL go back to what an fsync had covered. Two devices with
// real files and real sync sessions; only the disk's image is ours.
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { createVirtualClock, type VirtualClock } from '#test/support/virtual-clock.ts';
import { connect, device, deviceOf, settle, type Device } from '#test/sync/session/two-devices.ts';

interface Machine extends EngineUnderTest {
  readonly device: Device;
  /** Cuts the power and starts again with the image of this fsync; default: the last one. */
  cut(fsync?: number): Machine;
  /** Number of fsyncs so far. */
  fsyncs(): number;
}

/** A machine whose disk has, after each fsync, an image of what was written before it began. */
function machine(
  clock: VirtualClock,
  from?: { path: string; outside: EngineUnderTest['outside'] },
): Machine {
  const images = tempFolder();
  const path = from?.path ?? join(tempFolder(), 'test.db');
  let fsyncs = 0;
  let isDead = false;
  /** A machine without power has no timers. */
  const timers: VirtualClock = {
    ...clock,
    wakeAt: (at, wake) => clock.wakeAt(at, () => isDead || wake()),
  };
  const store: OpenStore = openStore(
    'device-a',
    path,
    {
      fsync: (done) => {
        const image = join(images, String(fsyncs));
        for (const suffix of ['', '-wal']) copyFileSync(path + suffix, image + suffix);
        fsyncs += 1;
        setImmediate(done, null);
      },
    },
    timers,
  );
  const engine = startEngine({ store, ...(from && { outside: from.outside }) });
  return {
    ...engine,
    device: deviceOf(store),
    fsyncs: () => fsyncs,
    cut: (fsync = fsyncs - 1) => {
      isDead = true;
      engine.kill();
      const restored = join(tempFolder(), 'test.db');
      for (const suffix of ['', '-wal']) {
        if (existsSync(join(images, fsync + suffix))) {
          copyFileSync(join(images, fsync + suffix), restored + suffix);
        }
      }
      store.db.close();
      return machine(clock, { path: restored, outside: engine.outside });
    },
  };
}

/** The status of the only effect, and the phases of all runs. */
function ledgerOf(store: OpenStore): unknown {
  return {
    effects: store.db.values('SELECT status FROM mutations'),
    runs: store.db.values('SELECT phase FROM handler_runs ORDER BY id'),
  };
}

const DONE = { effects: ['applied'], runs: ['committed'] };

describe('a power cut', () => {
  it('[DT-1] takes nothing back that a peer has, at any moment after the effect', async () => {
    const lost: unknown[] = [];
    for (const ms of [0, 15, 20, 25, 40, 60]) {
      const clock = createVirtualClock();
      const ours = machine(clock);
      const theirs = device('device-b', clock);
      const workflowId = await ours.add(POSTER);
      const link = connect(ours.device, theirs);
      await settle(clock, link);
      await ours.publish(workflowId, 'in', 'm1');
      await clock.advance(ms);
      for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
      const told = ledgerOf(theirs.store);
      link.link.cut();
      const after = ours.cut();
      const saved = after.store.db.values<string>(
        'SELECT outcome FROM mutations UNION ALL SELECT progress FROM handler_runs',
      );
      const known = theirs.store.db.values<string>(
        'SELECT outcome FROM mutations UNION ALL SELECT progress FROM handler_runs',
      );
      // Recovery writes beside the maker's columns, so these are as the cut left them.
      if (JSON.stringify(told) === JSON.stringify(DONE))
        lost.push(known.filter((row) => !saved.includes(row)));
    }
    expect(lost.length).toBeGreaterThan(2);
    expect(lost.flat()).toEqual([]);
  });
});

describe('a disk that lost what it had confirmed', () => {
  /** The peer has the committed run; the disk has it in flight. */
  async function forgotten(): Promise<{ ours: Machine; theirs: Device; clock: VirtualClock }> {
    const clock = createVirtualClock();
    const first = machine(clock);
    const theirs = device('device-b', clock);
    const workflowId = await first.add(POSTER);
    const link = connect(first.device, theirs);
    await settle(clock, link);
    const inFlight = first.fsyncs();
    await first.publish(workflowId, 'in', 'm1');
    await settle(clock, link);
    expect(ledgerOf(theirs.store)).toEqual(DONE);
    link.link.cut();
    const ours = first.cut(inFlight);
    await ours.idle();
    expect(ledgerOf(ours.store)).toEqual({ effects: ['indeterminate'], runs: ['suspended'] });
    return { ours, theirs, clock };
  }

  it('[DT-5] the outcome that a peer knows counts, not the doubt of the recovery', async () => {
    const { ours, theirs, clock } = await forgotten();
    await settle(clock, connect(ours.device, theirs));
    await ours.idle();
    expect([ledgerOf(ours.store), ledgerOf(theirs.store)]).toEqual([DONE, DONE]);
    await ours.pass(3_600_000);
    expect(ours.outside.arrived.length).toBe(1);
    // The input is consumed once; what the run published is in a topic without a consumer.
    expect(
      ours.store.db.all(
        'SELECT name, status FROM events JOIN topics ON topics.id = topic_id ORDER BY name',
      ),
    ).toEqual([
      { name: 'in', status: 'consumed' },
      { name: 'out', status: 'pending' },
    ]);
  });

  it('[DT-5] a decision that contradicts it becomes an incident', async () => {
    const { ours, theirs, clock } = await forgotten();
    const [mutationId = ''] = ours.store.db.values<string>('SELECT id FROM mutations');
    const [workflowId = ''] = ours.store.workflows.ids();
    ours.engine.decisions.settle('r1', {
      mutationId,
      workflowId,
      resolution: 'user_assert_failed',
    });
    await ours.idle();
    await settle(clock, connect(ours.device, theirs));
    await ours.idle();
    expect(ours.store.incidents.open().map(({ kind }) => kind)).toContain('late_finding');
    expect(ours.store.incidents.open().map(({ about }) => about)).toContain(mutationId);
  });
});
