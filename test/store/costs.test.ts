// Sums of costs: derived from the rows of runs by any write, and read without scanning the history.
import { describe, expect, it } from 'vitest';
import { test, fc } from '@fast-check/vitest';
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { MAX_CALL_COST } from '#shared/cost.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';

const HOUR = 3_600_000;

function spend(
  store: OpenStore,
  cost: number,
  more: {
    readonly workflowId?: string;
    readonly startedAt?: number;
    readonly causedBy?: string;
  } = {},
): HandlerRun {
  const run = store.handlerRuns.create({
    scriptRunId: 's',
    workflowId: 'w',
    handlerType: 'producer',
    handlerName: 'p',
    inputState: null,
    epoch: 1,
    begins: { phase: 'executing' },
    ...more,
  });
  store.handlerRuns.moveProducer(run.id, { type: 'commit', outputState: null, at: 1, cost });
  return run;
}

/** Every row of the table, against the sums of the rows of runs. */
function expectSums({ db }: OpenStore): void {
  const table = db.all('SELECT * FROM workflow_costs WHERE cost <> 0 ORDER BY 1, 2');
  const rows = db.all(
    `WITH runs AS (SELECT workflow_id, unixepoch(start_timestamp) / 900 AS quarter, cost
       FROM handler_runs WHERE cost > 0 AND workflow_id IS NOT NULL)
     SELECT workflow_id, quarter, sum(cost) AS cost FROM runs GROUP BY 1, 2
     UNION ALL SELECT workflow_id, -1, sum(cost) FROM runs GROUP BY 1 ORDER BY 1, 2`,
  );
  expect(table).toEqual(rows);
}

describe('the cost of a run', () => {
  it('[CO-6] grows with each phase that brings a cost, and is kept by those that bring none', () => {
    const { handlerRuns } = openStore();
    const run = handlerRuns.create({
      scriptRunId: 's',
      workflowId: 'w',
      handlerType: 'consumer',
      handlerName: 'c',
      inputState: null,
      epoch: 1,
      begins: { phase: 'prepared', prepareResult: {} },
      cost: 5,
    });
    expect(run.cost).toBe(5);
    const costAfter = (
      event: Parameters<typeof handlerRuns.moveConsumer>[1],
    ): number | undefined => {
      expect(handlerRuns.moveConsumer(run.id, event).type).toBe('moved');
      return handlerRuns.get(run.id)?.cost;
    };
    expect(costAfter({ type: 'mutate' })).toBe(5);
    expect(costAfter({ type: 'suspend', reason: 'reconciliation', cost: 30 })).toBe(35);
    expect(costAfter({ type: 'settle', cost: 400 })).toBe(435);
    expect(costAfter({ type: 'emit' })).toBe(435);
    expect(costAfter({ type: 'commit', outputState: null, at: 1 })).toBe(435);
  });

  it('[CO-8] is the sum of what its maker and a later owner spent, on both devices and in any order', () => {
    const [a, b] = [openStore('a'), openStore('b')];
    const run = a.handlerRuns.create({
      scriptRunId: 's',
      workflowId: 'w',
      handlerType: 'consumer',
      handlerName: 'c',
      inputState: null,
      epoch: 1,
      begins: { phase: 'prepared', prepareResult: {} },
      cost: 1,
    });
    a.handlerRuns.moveConsumer(run.id, { type: 'mutate' });
    exchange(a.db, b.db);
    const suspend = { type: 'suspend', reason: 'reconciliation' } as const;
    b.handlerRuns.moveConsumer(run.id, suspend, 'owner');
    b.handlerRuns.moveConsumer(run.id, { type: 'settle', cost: 20 }, 'owner');
    a.handlerRuns.moveConsumer(run.id, { type: 'settle', cost: 300 }, 'maker');
    exchange(a.db, b.db);
    exchange(b.db, a.db);
    for (const store of [a, b]) {
      expect(store.handlerRuns.get(run.id)).toMatchObject({ cost: 321, isTakenOver: true });
      expect(store.workflowCosts.of('w').total).toBe(321);
      expectSums(store);
    }
  });

  it.each([
    ['"5"', 5],
    ['"many"', 0],
    ['-7', 0],
    ['1.9', 1],
    ['1e300', MAX_CALL_COST],
    ['9223372036854775807', MAX_CALL_COST],
    ['[1]', 0],
    ['null', 0],
  ])('[CO-8] a peer’s %s counts as %s, and the merge goes on', (cost, counted) => {
    const store = openStore();
    const { db } = store;
    db.run('SELECT crsql_internal_sync_bit(1)');
    for (let n = 0; n < 3; n += 1) {
      db.run(
        `INSERT INTO handler_runs (id, facts, progress) VALUES (?,
           '{"workflow_id":"w","start_timestamp":"soon"}', ?)`,
        `run-${n}`,
        `{"phase":"committed","cost":${cost}}`,
      );
    }
    db.run('SELECT crsql_internal_sync_bit(0)');
    expect(db.values('SELECT cost FROM handler_runs')).toEqual([counted, counted, counted]);
    expect(store.workflowCosts.of('w').total).toBe(counted * 3);
  });
});

describe('the costs of a workflow', () => {
  it('[CO-9] today begins at midnight in the time zone of the host', () => {
    const store = openStore();
    const midnight = new Date(store.clock.now()).setHours(0, 0, 0, 0);
    spend(store, 1, { startedAt: midnight - 1 });
    spend(store, 20, { startedAt: midnight });
    spend(store, 300, { startedAt: midnight + HOUR });
    spend(store, 4000, { startedAt: midnight + HOUR, workflowId: 'other' });
    spend(store, 0, { startedAt: midnight + HOUR });
    expect(store.workflowCosts.of('w')).toEqual({ today: 320, total: 321 });
    expect(store.workflowCosts.of('other')).toEqual({ today: 4000, total: 4000 });
    expect(store.workflowCosts.of('free')).toEqual({ today: 0, total: 0 });
  });

  it('[CO-9] archived runs are no longer in the sums', () => {
    const store = openStore();
    const run = spend(store, 5);
    spend(store, 30);
    store.db.write(() => archiveDelete(store.db, 'handler_runs', 'id', run.id));
    expect(store.workflowCosts.of('w').total).toBe(30);
    expectSums(store);
  });

  test.prop(
    [
      fc.array(
        fc.record({
          cost: fc.integer({ min: 0, max: 50 }),
          workflowId: fc.constantFrom('v', 'w'),
          hours: fc.integer({ min: 0, max: 3 }),
          isArchived: fc.boolean(),
        }),
        { maxLength: 12 },
      ),
      fc.func(fc.integer()),
    ],
    { numRuns: 15 },
  )(
    '[CO-9] are the sums of the rows, after any writes, merges in any order and archiving',
    (runs, order) => {
      const [store, peer] = [openStore('a'), openStore('b')];
      for (const { cost, workflowId, hours, isArchived } of runs) {
        const { id } = spend(store, cost, { workflowId, startedAt: hours * HOUR });
        if (isArchived) store.db.write(() => archiveDelete(store.db, 'handler_runs', 'id', id));
      }
      // Column by column in any order: facts can come after the cost.
      const changes = store.db
        .prepare(
          `SELECT "table", pk, cid, val, col_version, db_version, site_id, cl, seq FROM crsql_changes`,
        )
        .safeIntegers()
        .raw()
        .all() as unknown[][];
      const keys = new Map(changes.map((change, at) => [change, order(at)]));
      const shuffled = changes.toSorted(
        (one, other) => (keys.get(one) ?? 0) - (keys.get(other) ?? 0),
      );
      for (const change of shuffled) {
        peer.db.write(() => {
          peer.db.changes.markMerge();
          peer.db.run(
            `INSERT INTO crsql_changes
             ("table", pk, cid, val, col_version, db_version, site_id, cl, seq)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            ...change,
          );
        });
      }
      for (const one of [store, peer]) expectSums(one);
      expect(peer.workflowCosts.of('w')).toEqual(store.workflowCosts.of('w'));
    },
  );
});

describe('the cost of an input', () => {
  it('[CO-10] is that of the runs that took its events, and of those that failed before they could', () => {
    const store = openStore();
    const { events, topics, inputChain } = store;
    const workflowId = addWorkflow(store, 'w');
    const topic = topics.ensure(workflowId, 'in');
    const take = (
      run: HandlerRun,
      messageId: string,
      inputs: readonly [string, ...string[]],
    ): void => {
      const [causedBy, ...alsoCausedBy] = inputs;
      const made = events.publish({
        topic,
        messageId,
        title: messageId,
        payload: null,
        causedBy,
        alsoCausedBy,
      });
      if (!('eventId' in made)) throw new Error(made.type);
      events.reserve([made.eventId], run.id);
    };
    const both = spend(store, 5);
    take(both, 'm1', ['one', 'two']);
    take(both, 'm2', ['one']);
    take(spend(store, 30), 'm3', ['two']);
    spend(store, 400, { causedBy: 'two' });
    spend(store, 5000);
    expect([inputChain.cost('one'), inputChain.cost('two'), inputChain.cost('none')]).toEqual([
      5, 435, 0,
    ]);
  });
});
