// Two and three devices with random operations on every synced table and random exchanges: at the end
// all hold the same rows. Real files and real cr-sqlite; the exchange is cr-sqlite's own, without our
// sync protocol.
import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';
import { runEvent } from '#test/support/run-event.ts';

const NAMES = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...NAMES);
const small = fc.integer({ min: 0, max: 3 });

type Operation = (store: OpenStore) => void | Promise<void>;

/** Operations use few ids, so that those of several devices collide. */
const operation: fc.Arbitrary<Operation> = fc.oneof(
  name.map(
    (id): Operation =>
      (store) =>
        void addWorkflow(store, id, `code ${id}`),
  ),
  fc.tuple(name, small).map(
    ([id, until]): Operation =>
      (store) =>
        store.workflows.setConsumerSleepUntil(id, until),
  ),
  fc
    .tuple(name, name, fc.jsonValue())
    .map(([topicName, messageId, payload]): Operation => (store) => {
      const topic = store.topics.ensure('w', topicName);
      store.events.publish({
        topic,
        messageId,
        title: `by ${store.context.deviceId}`,
        payload: JSON.parse(JSON.stringify(payload)) as null,
      });
    }),
  fc
    .tuple(name, fc.constantFrom('reserve', 'consume', 'skip', 'rerun', 'release'))
    .map(([topicName, type]): Operation => (store) => {
      const topic = store.topics.ensure('w', topicName);
      const ids = store.db.all<{ id: string }>(
        'SELECT id FROM events WHERE topic_id = ? ORDER BY id',
        topic.id,
      );
      for (const { id } of ids) {
        const runId = `run-${store.context.deviceId}`;
        if (type === 'reserve') store.events.reserve([id], runId);
        else store.events.move(id, { type, runId });
      }
    }),
  fc.tuple(name, small).map(
    ([handler, n]): Operation =>
      (store) =>
        void store.handlerState.set('w', handler, { n }, `run-${store.context.deviceId}`),
  ),
  fc.tuple(name, name).map(
    ([runId, stepId]): Operation =>
      (store) =>
        void store.runState.append(runEvent({ runId, stepId, payload: { n: 1 } })),
  ),
  name.map((handlerName): Operation => (store) => {
    const { id } = store.handlerRuns.create({
      scriptRunId: 's',
      workflowId: 'w',
      handlerType: 'consumer',
      handlerName,
      inputState: { big: 2 ** 40 },
      epoch: 1,
    });
    store.handlerRuns.moveConsumer(id, { type: 'prepare' });
    store.handlerRuns.checkpoint(id, { data: handlerName });
  }),
  name.map((handlerRunId): Operation => (store) => {
    const mutation = { handlerRunId, workflowId: 'w', epoch: 1 };
    store.mutations.markInFlight(mutation, {
      toolNamespace: 'http',
      toolMethod: 'post',
      params: { from: store.context.deviceId },
      idempotencyKey: handlerRunId,
    });
  }),
  fc
    .tuple(name, fc.constantFrom('apply', 'doubt', 'give_up'))
    .map(([handlerRunId, type]): Operation => (store) => {
      const known = store.mutations.ofRun(handlerRunId);
      if (!known) return;
      store.mutations.move(known.id, { type, result: 1, error: 'x' });
    }),
  fc.tuple(name, name).map(([id, mutationId]): Operation => (store) => {
    const resolution = { mutationId, workflowId: 'w', resolution: 'user_skip' } as const;
    store.resolutions.add(id, resolution);
    store.resolutions.decide(id, { status: 'done' });
  }),
  name.map((called): Operation => (store) => {
    const { deviceId } = store.context;
    store.settings.set('device_id', deviceId);
    store.devices.ensureOwn(`key of ${deviceId}`, called);
    store.devices.renameOwn(called);
  }),
  fc.tuple(name, fc.boolean()).map(([workflowId, isRelease]): Operation => (store) => {
    if (isRelease) store.ownership.release(workflowId, 'device-0');
    else store.ownership.claim(workflowId, 'takeover');
  }),
  fc.tuple(name, fc.constantFrom('done', 'refused')).map(([id, status]): Operation => (store) => {
    store.intents.add(id, 'w', { kind: 'resume' });
    store.intents.decide(id, { status });
  }),
  fc.tuple(name, fc.boolean()).map(([about, isSeen]): Operation => (store) => {
    const finding = { id: about, kind: 'epoch_tie', workflowId: 'w', about, at: 1 } as const;
    store.db.write(() => store.incidents.add(finding));
    if (isSeen) store.incidents.acknowledge(about, `by ${store.context.deviceId}`);
  }),
  // The same input arrives on several devices; each moves its own run.
  fc.tuple(name, fc.boolean()).map(([dedupKey, isEnded]): Operation => (store) => {
    const input = {
      workflowId: 'w',
      kind: 'webhook',
      triggerId: 'hook',
      dedupKey,
      source: 'shop',
      type: 'order',
      externalId: dedupKey,
      title: `by ${store.context.deviceId}`,
      topic: null,
      redactPaths: [],
      bytes: 2,
      sha256: 'hash',
    } as const;
    store.db.write(() => {
      const id = store.triggerEvents.find(input) ?? store.triggerEvents.insert(input, {}, []);
      const run = store.automationRuns.get(store.automationRuns.insert(id, input));
      if (!run || run.state.status !== 'queued') return;
      store.automationRuns.write(
        run,
        isEnded ? { status: 'skipped', reason: 'test' } : { status: 'enriching' },
        {},
      );
    });
  }),
  fc
    .tuple(name, small, fc.subarray(['p', 'q']))
    .map(([effectId, response, more]): Operation => (store) => {
      const effect = {
        effectId,
        runIds: ['r', ...more],
        handlerRunId: 'h',
        kind: 'http',
        provider: 'p',
        response,
      };
      store.sideEffects.record(effect);
    }),
  name.map((file): Operation => (store) => {
    const content = { type: 'text/plain', bytes: 2, sha256: '0'.repeat(64) };
    store.artifacts.insert({ runId: 'r', name: file, ...content, maker: 'person', cause: 'c' });
  }),
  // All open runs, also those of other devices, which this one then takes over.
  fc.constantFrom('suspend', 'fail').map((type): Operation => (store) => {
    for (const { id } of store.handlerRuns.open('w')) {
      store.handlerRuns.moveConsumer(
        id,
        type === 'fail'
          ? { type, errorType: 'internal', error: 'x', at: 1 }
          : { type, reason: 'reconciliation' },
      );
    }
  }),
  fc.tuple(name, name).map(([workflowId, startRequestId]): Operation => async (store) => {
    addWorkflow(store, workflowId);
    const started = await store.runContexts.createRunContext({
      workflowId,
      lane: 'main',
      startRequestId,
      trigger: 'manual',
    });
    if (started.type !== 'started') return;
    store.runContexts.finishRun({
      runId: started.run.id,
      status: 'completed',
      terminalEventId: `end-${store.context.deviceId}`,
    });
  }),
);

/** A local operation of a device, or an exchange from one device to another. */
const step = (devices: number): fc.Arbitrary<{ at: number; from?: number; run?: Operation }> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ at: fc.nat(devices - 1), run: operation }) },
    { weight: 1, arbitrary: fc.record({ at: fc.nat(devices - 1), from: fc.nat(devices - 1) }) },
  );

/** Every device sends all its changes to every other, twice, so that changes also pass through others. */
function exchangeAll(stores: readonly OpenStore[]): void {
  for (let round = 0; round < 2; round += 1) {
    for (const from of stores) {
      for (const to of stores) if (from !== to) exchange(from.db, to.db);
    }
  }
}

describe('devices that exchanged all changes', () => {
  for (const devices of [2, 3]) {
    it.prop([fc.array(step(devices), { minLength: 5, maxLength: 40 })], { numRuns: 60 })(
      `[SY-1] ${devices} devices hold equal rows after random operations and exchanges`,
      async (steps) => {
        const stores = Array.from({ length: devices }, (_, n) => openStore(`device-${n}`));
        for (const { at, from, run } of steps) {
          const store = stores[at] as OpenStore;
          if (run) await run(store);
          else if (from !== undefined && from !== at) {
            exchange((stores[from] as OpenStore).db, store.db);
          }
        }
        exchangeAll(stores);
        const [first, ...others] = stores.map(({ db }) => dumpRows(db));
        for (const other of others) expect(other).toEqual(first);
        for (const { db } of stores) expect(db.pragma('integrity_check')).toBe('ok');
      },
      120_000,
    );
  }

  it('[SY-1] the random operations write to every synced table', async () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    // A fixed seed: about one random sample in thirty reserves no event.
    for (const run of fc.sample(operation, { numRuns: 400, seed: 1 })) await run(one);
    exchange(one.db, other.db);
    const rows = dumpRows(other.db);
    expect(rows).toEqual(dumpRows(one.db));
    for (const [table, content] of Object.entries(rows)) {
      expect([table, content.length > 0]).toEqual([table, true]);
    }
  });

  it('[SY-2] an integer above 2^32 stays an integer, also when two versions conflict', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    const big = 2 ** 45 + 1;
    for (const [store, until] of [
      [one, big],
      [other, big + 1],
    ] as const) {
      addWorkflow(store, 'w');
      store.workflows.setConsumerSleepUntil('w', until);
    }
    exchangeAll([one, other]);
    for (const { db } of [one, other]) {
      expect(
        db.get(
          `SELECT consumer_sleep_until AS value, typeof(consumer_sleep_until) AS type,
             typeof(created_at) AS generated FROM workflows`,
        ),
      ).toEqual({ value: big + 1, type: 'integer', generated: 'integer' });
    }
  });

  it('[SY-3] [RL-13] a merge may bring two active sessions; log entries of two devices have different numbers', async () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    for (const [store, startRequestId] of [
      [one, 'a'],
      [other, 'b'],
    ] as const) {
      addWorkflow(store, 'w');
      const request = { workflowId: 'w', lane: 'main', startRequestId, trigger: 'manual' } as const;
      await store.runContexts.createRunContext(request);
      store.runState.append(runEvent({ runId: 'shared', stepId: startRequestId }));
    }
    exchangeAll([one, other]);
    // Each row was legal on the device that wrote it.
    const active = `SELECT count(*) AS n FROM script_runs WHERE status = 'booting'`;
    expect(one.db.get(active)).toEqual({ n: 2 });
    const merged = (await one.runState.fetchEvents('shared')).map(({ runSeq }) => runSeq);
    expect([merged.length, new Set(merged).size]).toEqual([2, 2]);
    const next = one.runState.append(runEvent({ runId: 'shared', stepId: 'c' })).runSeq;
    expect(merged).not.toContain(next);
  });

  it('[TP-1] [MU-1] [HS-1] the same topic, mutation and handler state of two devices merge into one row each', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    for (const store of [one, other]) {
      store.topics.ensure('w', 'mail');
      store.mutations.record({ handlerRunId: 'r', workflowId: 'w', epoch: 1 });
      store.handlerState.set('w', 'poll', { by: store.context.deviceId }, 'r');
    }
    exchangeAll([one, other]);
    for (const table of ['topics', 'mutations', 'handler_state']) {
      expect(one.db.get(`SELECT count(*) AS n FROM ${table}`)).toEqual({ n: 1 });
    }
    expect(dumpRows(one.db)).toEqual(dumpRows(other.db));
  });
});
