// Two and three devices with random writes, links that are cut anywhere, and restored databases: at
// the end all have the same rows. Real databases and protocol, simulated links and clock.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createVirtualClock, type VirtualClock } from '#test/support/virtual-clock.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { runEvent } from '#test/support/run-event.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { addWorkflow } from '#test/support/open-store.ts';
import { framesOf, mergeInto } from '#test/sync/changes/two-stores.ts';
import {
  connect,
  device,
  settle,
  type Connection,
  type Device,
} from '#test/sync/session/two-devices.ts';

const name = fc.constantFrom('a', 'b', 'c');
const small = fc.integer({ min: 0, max: 3 });
type Write = (at: Device) => void;

/** Uses few ids, so that writes of several devices collide. */
const write: fc.Arbitrary<Write> = fc.oneof(
  name.map(
    (id) =>
      ({ store }: Device) =>
        void addWorkflow(store, id, `code ${id}`),
  ),
  fc.tuple(name, small).map(([id, until]) => ({ store }: Device) => {
    store.workflows.setConsumerSleepUntil(id, 2 ** 45 + until);
  }),
  fc.tuple(name, small, fc.nat(40)).map(([topicName, from, count]) => ({ store, id }: Device) => {
    const topic = store.topics.ensure('w', topicName);
    store.db.write(() => {
      for (let n = from; n < from + count; n += 1) {
        store.events.publish({ topic, messageId: `m${n}`, title: `by ${id}`, payload: n });
      }
    });
  }),
  name.map((topicName) => ({ store, id }: Device) => {
    const topic = store.topics.ensure('w', topicName);
    const events = store.db.all<{ id: string }>(
      'SELECT id FROM events WHERE topic_id = ? ORDER BY id LIMIT 2',
      topic.id,
    );
    for (const event of events) store.events.reserve([event.id], `run-${id}`);
  }),
  fc.tuple(name, small).map(([handler, n]) => ({ store, id }: Device) => {
    store.handlerState.set('w', handler, { n }, `run-${id}`);
  }),
  fc.tuple(name, name).map(([runId, stepId]) => ({ store }: Device) => {
    store.runState.append(runEvent({ runId, stepId, payload: { n: 1 } }));
  }),
  // A rolled back savepoint inside a committed transaction.
  name.map((handler) => ({ store }: Device) => {
    store.db.write(() => {
      try {
        store.db.write(() => {
          store.handlerState.set('w', handler, { n: 99 }, 'rolled back');
          throw new Error('rolled back');
        });
      } catch {
        store.settings.set('local', handler);
      }
    });
  }),
);

type Step =
  | { readonly type: 'write'; readonly at: number; readonly write: Write }
  | {
      readonly type: 'connect';
      readonly at: number;
      readonly to: number;
      readonly cutAfter: number;
    }
  | { readonly type: 'cut'; readonly at: number }
  | { readonly type: 'save'; readonly at: number }
  | { readonly type: 'lose'; readonly at: number };

const step = (devices: number): fc.Arbitrary<Step> => {
  const at = fc.nat(devices - 1);
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant('write' as const), at, write }) },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('connect' as const),
        at,
        to: at,
        cutAfter: fc.oneof(fc.nat(14), fc.constant(1000)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('cut' as const), at: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('save' as const), at }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('lose' as const), at }) },
  );
};

class World {
  readonly clock: VirtualClock = createVirtualClock();
  readonly devices: Device[];
  readonly #saved = new Map<number, string>();
  #connections: { readonly at: number; readonly to: number; readonly connection: Connection }[] =
    [];

  constructor(count: number) {
    this.devices = Array.from({ length: count }, (_, n) => device(`device-${n}`, this.clock));
  }

  async take(taken: Step): Promise<void> {
    switch (taken.type) {
      case 'write':
        return taken.write(this.#at(taken.at));
      case 'connect':
        this.connect(taken.at, taken.to, taken.cutAfter);
        return settle(this.clock, ...this.#live);
      case 'cut':
        return this.#connections[taken.at]?.connection.link.cut();
      case 'save':
        return this.#save(taken.at);
      case 'lose':
        return this.#lose(taken.at);
    }
  }

  connect(at: number, to: number, cutAfter = 100_000): void {
    if (at === to) return;
    this.#disconnect((one) => [one.at, one.to].every((end) => end === at || end === to));
    const connection = connect(this.#at(at), this.#at(to), { cutAfter });
    this.#connections.push({ at, to, connection });
  }

  /** A chain is enough, because changes are passed on. */
  async exchangeAll(): Promise<void> {
    for (let at = 1; at < this.devices.length; at += 1) this.connect(at - 1, at);
    await settle(this.clock, ...this.#live);
    for (const { connection } of this.#connections) connection.link.cut();
  }

  get warnings(): string[] {
    return this.devices.flatMap((one) => one.warnings).filter((warning) => warning !== 'notice');
  }

  get #live(): Connection[] {
    return this.#connections.map(({ connection }) => connection);
  }

  #at(index: number): Device {
    return this.devices[index] as Device;
  }

  #disconnect(which: (one: { at: number; to: number }) => boolean): void {
    for (const one of this.#connections.filter(which)) one.connection.link.cut();
    this.#connections = this.#connections.filter((one) => !which(one));
  }

  #save(at: number): void {
    const path = join(tempFolder(), 'saved.db');
    this.#at(at).store.db.pragma('wal_checkpoint(TRUNCATE)');
    copyFileSync(this.#at(at).store.path, path);
    this.#saved.set(at, path);
  }

  /** Restores the saved database, as after a power cut or from a backup. */
  #lose(at: number): void {
    const saved = this.#saved.get(at);
    if (saved === undefined) return;
    this.#disconnect((one) => one.at === at || one.to === at);
    this.#saved.delete(at);
    const { id } = this.#at(at);
    this.devices[at] = device(id, this.clock, saved);
  }
}

describe('devices converge over sessions', () => {
  for (const count of [2, 3]) {
    it(`[SS-5] [CS-10] ${count} devices converge with random writes, cut links and restored databases`, async () => {
      const run = fc.asyncProperty(
        fc.array(step(count), { minLength: 10, maxLength: 40 }),
        async (steps) => {
          const world = new World(count);
          for (const one of steps) await world.take(one);
          await world.exchangeAll();
          expect(world.warnings).toEqual([]);
          const [first, ...others] = world.devices.map(({ store }) => dumpRows(store.db));
          for (const rows of others) expect(rows).toEqual(first);
          for (const { store } of world.devices) {
            const types = `SELECT DISTINCT typeof(consumer_sleep_until) AS type FROM workflows
                WHERE consumer_sleep_until IS NOT NULL`;
            for (const row of store.db.all(types)) expect(row).toEqual({ type: 'integer' });
          }
        },
      );
      await fc.assert(run, { numRuns: 25, endOnFailure: true });
    }, 120_000);
  }

  it('[CS-4] repeated and reordered frames never leave a gap, and converge at the end', () => {
    const deliveries = fc.array(fc.nat(30), { minLength: 10, maxLength: 60 });
    const run = fc.property(deliveries, fc.integer({ min: 1, max: 40 }), (order, frameChanges) => {
      const clock = createVirtualClock();
      const [from, to] = [device('a', clock), device('b', clock)];
      const topic = from.store.topics.ensure('w', 't');
      for (let n = 0; n < 20; n += 1) {
        from.store.db.write(() => {
          for (let m = 0; m <= n; m += 5) {
            from.store.events.publish({ topic, messageId: `m${n}-${m}`, title: 't', payload: n });
          }
        });
      }
      const frames = framesOf(from.store, 0, { frameChanges });
      let version = 0;
      for (const index of [...order, ...frames.keys()]) {
        try {
          mergeInto(to.store, 'a', frames[index % frames.length] as Buffer);
        } catch (error) {
          expect(error).toHaveProperty('name', 'gap');
        }
        const now = to.store.peerCursors.get('a')?.version ?? 0;
        expect(now).toBeGreaterThanOrEqual(version);
        version = now;
        // Everything up to the cursor was merged.
        const expected = from.store.db.value<number>(
          'SELECT count(*) FROM crsql_changes WHERE db_version <= ?',
          version,
        );
        expect(to.store.db.value<number>('SELECT count(*) FROM crsql_changes')).toBe(expected);
      }
      expect(dumpRows(to.store.db)).toEqual(dumpRows(from.store.db));
    });
    fc.assert(run, { numRuns: 15, endOnFailure: true });
  }, 60_000);
});
