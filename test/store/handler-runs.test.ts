import { describe, expect, it } from 'vitest';
import type { ConsumerTransition } from '#shared/machines/handler-run.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';

const base = {
  scriptRunId: 'session-1',
  workflowId: 'w',
  handlerName: 'processMail',
  inputState: { seen: 1 },
  epoch: 3,
} as const;

const createConsumer = (store: OpenStore): string =>
  store.handlerRuns.create({ ...base, handlerType: 'consumer' }).id;

async function withSession(): Promise<{
  readonly store: OpenStore;
  readonly scriptRunId: string;
  readonly add: (id?: string) => void;
}> {
  const store = openStore();
  addWorkflow(store, 'w');
  const started = await store.runContexts.createRunContext({
    workflowId: 'w',
    lane: 'main',
    startRequestId: 's',
    trigger: 'event',
  });
  if (started.type !== 'started') throw new Error(started.type);
  const scriptRunId = started.run.id;
  const run = { ...base, handlerType: 'producer', scriptRunId } as const;
  return {
    store,
    scriptRunId,
    add: (id) => void store.handlerRuns.create(id === undefined ? run : { ...run, id }),
  };
}

const drive = (store: OpenStore, id: string, ...types: ConsumerTransition['type'][]): void => {
  for (const type of types) {
    const result = store.handlerRuns.moveConsumer(id, { type } as ConsumerTransition);
    expect(result.type).toBe('moved');
  }
};

describe('handler runs', () => {
  it('[HR-1] a consumer run moves from pending to committed and fills the columns of spec 002', async () => {
    const store = openStore();
    const id = createConsumer(store);
    drive(store, id, 'prepare');
    store.handlerRuns.checkpoint(id, { reservations: [], data: 1, ui: { title: 'T' } });
    drive(store, id, 'mutate', 'settle', 'emit');
    await store.clock.advance(1500);
    store.handlerRuns.moveConsumer(id, {
      type: 'commit',
      outputState: { seen: 2 },
      at: store.clock.now(),
    });
    const row = store.db.get('SELECT * FROM handler_runs WHERE id = ?', id);
    expect(row).toMatchObject({
      script_run_id: 'session-1',
      workflow_id: 'w',
      handler_type: 'consumer',
      handler_name: 'processMail',
      phase: 'committed',
      prepare_result: '{"reservations":[],"data":1,"ui":{"title":"T"}}',
      input_state: '{"seen":1}',
      output_state: '{"seen":2}',
      start_timestamp: '2026-01-01T00:00:00.000Z',
      end_timestamp: '2026-01-01T00:00:01.500Z',
      error: null,
      error_type: null,
      cost: 0,
      logs: '[]',
      device_id: 'device-a',
      epoch: 3,
    });
    expect(store.handlerRuns.get(id)).toMatchObject({
      state: { phase: 'committed', outputState: { seen: 2 }, endedAt: store.clock.now() },
    });
  });

  it('[HR-2] a producer run accepts producer transitions and refuses consumer phases', () => {
    const store = openStore();
    const { id } = store.handlerRuns.create({ ...base, handlerType: 'producer' });
    expect(store.handlerRuns.moveConsumer(id, { type: 'prepare' }).type).toBe('not_found');
    expect(store.handlerRuns.moveProducer(id, { type: 'execute' }).type).toBe('moved');
    expect(() =>
      store.db.run(`UPDATE handler_runs SET progress = '{"phase":"prepared"}' WHERE id = ?`, id),
    ).toThrow('illegal transition: handler_runs');
  });

  it('[HR-3] a suspended run stores its resume phase and reason, and resumes there', () => {
    const store = openStore();
    const id = createConsumer(store);
    drive(store, id, 'prepare');
    store.handlerRuns.moveConsumer(id, { type: 'suspend', reason: 'approval', error: 'ask' });
    expect(store.db.get('SELECT * FROM handler_runs WHERE id = ?', id)).toMatchObject({
      phase: 'suspended',
      resume_phase: 'preparing',
      reason: 'approval',
      error: 'ask',
    });
    expect(store.handlerRuns.moveConsumer(id, { type: 'resume' })).toEqual({
      type: 'moved',
      state: { phase: 'preparing' },
    });
  });

  it('[HR-4] a failed run stores its error type and refuses to move', () => {
    const store = openStore();
    const id = createConsumer(store);
    const at = store.clock.now();
    store.handlerRuns.moveConsumer(id, { type: 'fail', errorType: 'auth', error: 'no', at });
    expect(store.handlerRuns.get(id)?.state).toEqual({
      phase: 'failed',
      errorType: 'auth',
      error: 'no',
      endedAt: at,
    });
    expect(store.handlerRuns.moveConsumer(id, { type: 'prepare' })).toMatchObject({
      type: 'rejected',
      from: 'failed',
    });
  });

  it('[HR-6] only a consumer retry may start in emitting; the database refuses other start phases', () => {
    const store = openStore();
    const first = createConsumer(store);
    const { id: next } = store.handlerRuns.create({
      ...base,
      handlerType: 'consumer',
      retryOf: first,
      begins: { phase: 'emitting', prepareResult: { data: 1 } },
    });
    expect(store.handlerRuns.get(next)).toMatchObject({
      state: { phase: 'emitting' },
      retryOf: first,
      prepareResult: { data: 1 },
    });
    for (const [facts, phase] of [
      [{ handler_type: 'consumer' }, 'emitting'],
      [{ handler_type: 'producer', retry_of: 'x' }, 'emitting'],
      [{ handler_type: 'consumer', retry_of: 'x' }, 'mutated'],
      [{ handler_type: 'consumer' }, 'prepared'],
      [{ handler_type: 'producer' }, 'preparing'],
      [{ handler_type: 'consumer' }, 'executing'],
      [{ handler_type: 'consumer' }, undefined],
    ] as const) {
      expect(() =>
        store.db.run(
          `INSERT INTO handler_runs (id, facts, progress) VALUES ('x', ?, ?)`,
          JSON.stringify(facts),
          JSON.stringify({ phase }),
        ),
      ).toThrow('illegal transition');
    }
    expect(() =>
      store.db.run(
        `INSERT INTO handler_runs (id, facts, progress) VALUES ('x', '{}', '{"phase":"pending"}')`,
      ),
    ).toThrow('neither producer nor consumer');
  });

  it('[HR-7] the checkpoint stores phase and result together, once', () => {
    const store = openStore();
    const id = createConsumer(store);
    expect(store.handlerRuns.checkpoint(id, { data: 1 }).type).toBe('rejected');
    expect(store.handlerRuns.get(id)?.prepareResult).toBeNull();
    drive(store, id, 'prepare');
    store.handlerRuns.checkpoint(id, { data: 1 });
    expect(store.handlerRuns.checkpoint(id, { data: 2 }).type).toBe('rejected');
    expect(() =>
      store.db.run(`UPDATE handler_runs SET prepare_result = '{}' WHERE id = ?`, id),
    ).toThrow('immutable: handler_runs.prepare_result');
    expect(store.handlerRuns.get(id)?.prepareResult).toEqual({ data: 1 });
  });

  it('[HR-4] the database refuses to change the facts of a run', () => {
    const store = openStore();
    const id = createConsumer(store);
    expect(() => store.db.run(`UPDATE handler_runs SET facts = '{}' WHERE id = ?`, id)).toThrow(
      'immutable: handler_runs.facts',
    );
  });

  it('[HR-10] a session counts each run in the write that creates it, and keeps the count when it ends', async () => {
    const { store, scriptRunId, add } = await withSession();
    const count = (): number | undefined => store.scriptRuns.get(scriptRunId)?.handlerRunCount;
    const changed: string[] = [];
    for (const n of [1, 2, 3]) {
      add();
      expect(count()).toBe(n);
    }
    store.db.changes.subscribe((changes) => void changed.push(...changes.keys()));
    expect(() =>
      store.db.write(() => {
        add();
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    expect(count()).toBe(3);
    const known = store.db.value('SELECT id FROM handler_runs ORDER BY id');
    expect(() => add(known as string)).toThrow('UNIQUE');
    expect(count()).toBe(3);
    add();
    expect(changed).toContain('script_runs');
    store.runContexts.finishRun({ runId: scriptRunId, status: 'completed', terminalEventId: 'e' });
    expect(count()).toBe(4);
    // A run that continues one of an ended session belongs to it.
    add();
    expect(count()).toBe(5);
  });

  it('[HR-10] a session that ends counts the runs that were not counted, and still those archived', async () => {
    for (const [counted, atEnd] of [
      [1, 3],
      [7, 7],
    ]) {
      const { store, scriptRunId, add } = await withSession();
      for (let n = 0; n < 3; n += 1) add();
      store.db.run('UPDATE script_runs SET handler_run_count = ?', counted);
      const end = { runId: scriptRunId, status: 'failed', terminalEventId: 'e' } as const;
      store.runContexts.finishRun(end);
      expect(store.scriptRuns.get(scriptRunId)?.handlerRunCount).toBe(atEnd);
    }
  });

  it('[HR-11] open() reads unfinished runs from their index', () => {
    const store = openStore();
    const asked: string[] = [];
    const { values } = store.db;
    store.db.values = <Value>(sql: string, ...params: unknown[]): Value[] => {
      asked.push(sql);
      return values.call(store.db, sql, ...params) as Value[];
    };
    const id = createConsumer(store);
    expect(store.handlerRuns.open('w').map((run) => run.id)).toEqual([id]);
    expect(store.handlerRuns.open('other')).toEqual([]);
    expect(store.handlerRuns.open().map((run) => run.id)).toEqual([id]);
    const looks = new Set(asked.filter((sql) => sql.includes('NOT IN')));
    expect(looks.size).toBe(2);
    for (const sql of looks) {
      const plan = store.db.all<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${sql.replace('?', "'w'")}`,
      );
      expect(plan[0]?.detail).toContain('idx_handler_runs_open');
    }
  });
});
