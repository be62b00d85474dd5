// The table cache with every cause of invalidation, and the rows that RowMover caches.
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { pull } from '#test/sync/changes/two-stores.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';

const STATUS = `UPDATE workflows SET progress = '{"status":"paused"}' WHERE id = 'w'`;

function withWorkflow(): OpenStore {
  const store = openStore();
  addWorkflow(store, 'w');
  expect(store.workflows.runStatus('w')?.status).toBe('active');
  return store;
}

describe('table cache', () => {
  it('[DB-6] a value is read once until a statement changes rows of its table', () => {
    const { db } = openStore();
    const cache = db.cache<number>('settings');
    let reads = 0;
    const read = (): number => (reads += 1);
    expect([cache.get('a', read), cache.get('a', read), cache.get('b', read)]).toEqual([1, 1, 2]);
    db.run(`INSERT INTO grants VALUES ('w', 'http', '{}', 1)`);
    expect(cache.get('a', read)).toBe(1);
    db.run(`INSERT INTO settings VALUES ('k', '1', 1)`);
    expect(cache.get('a', read)).toBe(3);
    // Changed no row.
    db.run(`DELETE FROM settings WHERE key = 'none'`);
    expect(cache.get('a', read)).toBe(3);
  });

  it('[DB-6] a missing row is cached until it is inserted', () => {
    const store = openStore();
    expect(store.workflows.runStatus('w')).toBeUndefined();
    addWorkflow(store, 'w');
    expect(store.workflows.runStatus('w')?.status).toBe('active');
  });

  it('[DB-6] a write and its rollback both invalidate the cache', () => {
    const { db, workflows } = withWorkflow();
    expect(() =>
      db.write(() => {
        workflows.setStatus('w', 'paused');
        expect(workflows.runStatus('w')?.status).toBe('paused');
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(workflows.runStatus('w')?.status).toBe('active');
  });

  it('[DB-6] the rollback of a savepoint invalidates the cache', () => {
    const { db, workflows } = withWorkflow();
    db.write(() => {
      expect(() =>
        db.write(() => {
          workflows.setStatus('w', 'paused');
          expect(workflows.runStatus('w')?.status).toBe('paused');
          throw new Error('boom');
        }),
      ).toThrow('boom');
      expect(workflows.runStatus('w')?.status).toBe('active');
    });
  });

  it.each([
    ['a sync frame', pull],
    ['crsql_changes', (from: OpenStore, to: OpenStore) => exchange(from.db, to.db)],
  ])(
    '[DB-6] a merge by %s invalidates the cache: a lost claim is visible after it',
    (_how, merge) => {
      const here = withWorkflow();
      const there = openStore('device-b');
      merge(here, there);
      there.topics.ensure('w', 't');
      merge(there, here);
      expect(here.ownership.holds('w', 1)).toBe(true);
      there.ownership.claim('w', 'takeover');
      // Without a local write since the last merge, only the merge itself can invalidate the cache.
      merge(there, here);
      expect(here.ownership.holds('w', 1)).toBe(false);
    },
  );

  it('[DB-6] exec invalidates the cache', () => {
    const { db, workflows } = withWorkflow();
    db.exec(STATUS);
    expect(workflows.runStatus('w')?.status).toBe('paused');
  });

  it('[DB-6] a commit of another connection is visible in the next write', () => {
    const { db, path, workflows } = withWorkflow();
    db.write(() => undefined);
    expect(workflows.runStatus('w')?.status).toBe('active');
    const other = new Database(path);
    other.write(() => other.run(STATUS));
    other.close();
    expect(db.write(() => workflows.runStatus('w')?.status)).toBe('paused');
  });
});

describe('cached rows of RowMover', () => {
  function withRun(): OpenStore & { readonly id: string } {
    const store = openStore();
    const { id } = store.handlerRuns.create({
      scriptRunId: 's',
      workflowId: 'w',
      handlerType: 'consumer',
      handlerName: 'file',
      inputState: null,
      epoch: 1,
      begins: { phase: 'prepared', prepareResult: {} },
    });
    return { ...store, id };
  }

  it('[DB-7] a run moves from its stored state after a rollback', () => {
    const { db, handlerRuns, id } = withRun();
    expect(() =>
      db.write(() => {
        expect(handlerRuns.moveConsumer(id, { type: 'mutate' }).type).toBe('moved');
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(handlerRuns.moveConsumer(id, { type: 'settle' }).type).toBe('rejected');
    expect(handlerRuns.moveConsumer(id, { type: 'mutate' }).type).toBe('moved');
    expect(Object.keys(handlerRuns.get(id)?.timeline ?? {})).toEqual(['prepared', 'mutating']);
  });

  it('[DB-7] a run moves from its stored state after another connection moved it', () => {
    const { db, path, handlerRuns, id } = withRun();
    const other = new Database(path);
    other.write(() =>
      other.run(`UPDATE handler_runs SET progress = '{"phase":"failed"}' WHERE id = ?`, id),
    );
    other.close();
    expect(handlerRuns.moveConsumer(id, { type: 'mutate' }).type).toBe('rejected');
    expect(db.value('SELECT phase FROM handler_runs WHERE id = ?', id)).toBe('failed');
  });

  it('[DB-7] a run moves from its effective state after a later owner wrote to it', () => {
    const { handlerRuns, id } = withRun();
    const end = { type: 'fail', errorType: 'internal', error: 'lost', at: 1 } as const;
    expect(handlerRuns.moveConsumer(id, end, 'owner').type).toBe('moved');
    expect(handlerRuns.moveConsumer(id, { type: 'mutate' }).type).toBe('rejected');
  });

  it('[DB-7] an effect moves from its stored state after another connection settled it', () => {
    const { db, path, mutations, id } = withRun();
    const call = { toolNamespace: 'http', toolMethod: 'post', params: {}, idempotencyKey: 'k' };
    mutations.markInFlight({ handlerRunId: id, workflowId: 'w', epoch: 1 }, call);
    const effect = mutations.ofRun(id)?.id ?? '';
    const other = new Database(path);
    other.write(() =>
      other.run(
        `UPDATE mutations SET outcome = '{"status":"failed","updated_at":1}' WHERE id = ?`,
        effect,
      ),
    );
    other.close();
    expect(mutations.move(effect, { type: 'apply', result: 1 }).type).toBe('rejected');
    expect(db.value('SELECT status FROM mutations WHERE id = ?', effect)).toBe('failed');
  });

  function withEvent(): OpenStore & { readonly id: string; readonly event: TopicEvent } {
    const store = openStore();
    addWorkflow(store, 'w');
    const topic = store.topics.ensure('w', 't');
    store.events.publish({ topic, messageId: 'm', title: 'One', payload: 1, causedBy: 'input' });
    const [event] = store.events.peek(topic.id, 1) as [TopicEvent];
    return { ...store, id: event.id, event };
  }

  it('[DB-7] a peeked event is reserved and consumed without another SELECT', () => {
    const { db, events, id, event } = withEvent();
    const asked: string[] = [];
    const { prepare } = db;
    db.prepare = (sql) => {
      asked.push(sql);
      return prepare.call(db, sql);
    };
    db.write(() => {
      events.reserve([id], 'run-1', [event]);
      expect(db.changes.takeTouched()).toBeNull();
      expect(events.move(id, { type: 'consume', runId: 'run-1' }).type).toBe('moved');
      expect([...(db.changes.takeTouched()?.inputs ?? [])]).toEqual(['input']);
    });
    expect(asked.filter((sql) => sql.startsWith('SELECT'))).toEqual([]);
    expect(events.get(id)?.state.status).toBe('consumed');
  });

  it('[DB-7] a peeked event that was reserved since is refused', () => {
    const { db, events, id, event } = withEvent();
    const taken = JSON.stringify({
      status: 'reserved',
      attempt_number: 1,
      reserved_by_run_id: 'x',
    });
    db.run('UPDATE events SET progress = ? WHERE id = ?', taken, id);
    expect(events.reserve([id], 'run-1', [event])).toMatchObject({
      type: 'rejected',
      from: 'reserved',
    });
    expect(events.get(id)?.state).toMatchObject({ reservedByRunId: 'x' });
  });

  it('[DB-7] after a rolled back reservation, another run can reserve the event', () => {
    const { db, events, id, event } = withEvent();
    expect(() =>
      db.write(() => {
        expect(events.reserve([id], 'run-1', [event]).type).toBe('moved');
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(events.move(id, { type: 'consume', runId: 'run-1' }).type).toBe('rejected');
    expect(events.reserve([id], 'run-2', [event]).type).toBe('moved');
    expect(events.takenBy('run-1')).toEqual([]);
    expect(events.takenBy('run-2')).toEqual([id]);
  });
});
