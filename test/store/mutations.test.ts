import { describe, expect, it } from 'vitest';
import { openStore } from '#test/support/open-store.ts';

const mutation = { handlerRunId: 'run-1', workflowId: 'w', epoch: 1 };
const call = {
  toolNamespace: 'Gmail',
  toolMethod: 'send',
  params: { to: 'a@example.org', n: 1 },
  idempotencyKey: 'effect-1',
};

describe('mutations', () => {
  it('[MU-1] recording a second effect for a handler run returns the first row unchanged', () => {
    const { mutations, db } = openStore();
    const id = mutations.record(mutation);
    expect(mutations.record(mutation, call)).toBe(id);
    expect(db.get('SELECT count(*) AS n FROM mutations')).toEqual({ n: 1 });
    expect(mutations.ofRun('run-1')).toMatchObject({
      id,
      call: null,
      state: { status: 'pending' },
    });
  });

  it('[MU-2] markInFlight stores the call and fills the columns of spec 002', () => {
    const { mutations, db, clock } = openStore();
    expect(mutations.markInFlight(mutation, call)).toEqual({
      type: 'moved',
      state: { status: 'in_flight' },
    });
    expect(db.get('SELECT * FROM mutations')).toMatchObject({
      handler_run_id: 'run-1',
      workflow_id: 'w',
      tool_namespace: 'Gmail',
      tool_method: 'send',
      params: '{"to":"a@example.org","n":1}',
      idempotency_key: 'effect-1',
      status: 'in_flight',
      result: null,
      error: null,
      reconcile_attempts: 0,
      last_reconcile_at: null,
      next_reconcile_at: null,
      resolved_by: null,
      resolved_at: null,
      created_at: clock.now(),
      updated_at: clock.now(),
    });
  });

  it('[MU-2] a second markInFlight is refused, while the first is in flight and after it was applied', () => {
    const { mutations } = openStore();
    mutations.markInFlight(mutation, call);
    expect(mutations.markInFlight(mutation, call)).toMatchObject({
      type: 'rejected',
      from: 'in_flight',
    });
    const { id } = mutations.ofRun('run-1') as { id: string };
    mutations.move(id, { type: 'apply', result: null });
    expect(mutations.markInFlight(mutation, call)).toMatchObject({ type: 'rejected' });
  });

  it('[MU-2] a recorded effect is marked in flight once', () => {
    const { mutations } = openStore();
    mutations.record(mutation);
    expect(mutations.markInFlight(mutation, call).type).toBe('moved');
    expect(mutations.ofRun('run-1')).toMatchObject({ call, state: { status: 'in_flight' } });
    expect(mutations.markInFlight(mutation, call).type).toBe('rejected');
  });

  it('[MU-2] markInFlight throws inside another write', () => {
    const { mutations, db } = openStore();
    expect(() => db.write(() => mutations.markInFlight(mutation, call))).toThrow('its own');
    expect(mutations.ofRun('run-1')).toBeUndefined();
  });

  it('[MU-2] the database refuses an in-flight row without a call', () => {
    const { mutations, db } = openStore();
    expect(() =>
      db.run(`INSERT INTO mutations (id, outcome) VALUES ('x', '{"status":"in_flight"}')`),
    ).toThrow('illegal transition');
    const id = mutations.record(mutation);
    expect(mutationsMove(db, id, 'in_flight')).toThrow('illegal transition');
  });

  it('[MU-6] a different call for the same run is refused by the store and by the database', () => {
    const { mutations, db } = openStore();
    mutations.record(mutation, call);
    const other = { ...call, params: { to: 'b@example.org' } };
    expect(mutations.markInFlight(mutation, other)).toMatchObject({
      type: 'rejected',
      message: expect.stringContaining('Nothing was sent') as string,
    });
    expect(() => db.run(`UPDATE mutations SET call = '{}'`)).toThrow('immutable: mutations.call');
    // The same call with its keys in another order is the same call.
    const reordered = { ...call, params: { n: 1, to: 'a@example.org' } };
    expect(mutations.markInFlight(mutation, reordered).type).toBe('moved');
  });

  it('[MU-7] reconcile attempts and their times are stored in their columns', () => {
    const { mutations, db } = openStore();
    mutations.markInFlight(mutation, call);
    const { id } = mutations.ofRun('run-1') as { id: string };
    mutations.move(id, { type: 'doubt', error: 'timeout', nextAt: 100 });
    mutations.move(id, { type: 'reconcile_again', at: 100, nextAt: 300 });
    expect(db.get('SELECT * FROM mutations')).toMatchObject({
      status: 'needs_reconcile',
      error: 'timeout',
      reconcile_attempts: 1,
      last_reconcile_at: 100,
      next_reconcile_at: 300,
    });
    expect(mutations.get(id)?.state).toEqual({
      status: 'needs_reconcile',
      error: 'timeout',
      reconcile: { attempts: 1, lastAt: 100, nextAt: 300 },
    });
    expect(mutations.byStatus('needs_reconcile').map((row) => row.id)).toEqual([id]);
  });

  it('[MU-5] a resolution is stored in its columns, and a second one is refused', () => {
    const { mutations, db } = openStore();
    mutations.markInFlight(mutation, call);
    const { id } = mutations.ofRun('run-1') as { id: string };
    mutations.move(id, { type: 'give_up', error: 'crashed' });
    mutations.move(id, { type: 'resolve', as: 'user_skip', at: 7 });
    expect(db.get('SELECT status, resolved_by, resolved_at FROM mutations')).toEqual({
      status: 'indeterminate',
      resolved_by: 'user_skip',
      resolved_at: 7,
    });
    const again = { type: 'resolve', as: 'user_assert_applied', at: 8, result: 1 } as const;
    expect(mutations.move(id, again).type).toBe('rejected');
    expect(mutations.get(id)?.state).toMatchObject({ resolved: { by: 'user_skip', at: 7 } });
  });

  const RESOLUTIONS = [
    { type: 'resolve', as: 'user_assert_applied', at: 7, result: 1 },
    { type: 'resolve', as: 'user_assert_failed', at: 7 },
    { type: 'resolve', as: 'user_retry', at: 7, canReconcile: true },
    { type: 'resolve', as: 'user_retry', at: 7, canReconcile: false },
    { type: 'resolve', as: 'user_skip', at: 7 },
  ] as const;

  it.each(RESOLUTIONS)('[MU-5] after $as, every further resolution is refused', (first) => {
    const { mutations, db } = openStore();
    mutations.markInFlight(mutation, call);
    const { id } = mutations.ofRun('run-1') as { id: string };
    for (const early of RESOLUTIONS) expect(mutations.move(id, early).type).toBe('rejected');
    mutations.move(id, { type: 'give_up', error: 'crashed' });
    expect(mutations.move(id, first).type).toBe('moved');
    const stored = db.get('SELECT outcome, takeover FROM mutations');
    for (const second of RESOLUTIONS) {
      expect(mutations.move(id, { ...second, at: 8 }).type).toBe('rejected');
    }
    expect(db.get('SELECT outcome, takeover FROM mutations')).toEqual(stored);
  });

  it('[MU-9] the database refuses to delete an effect or to change its facts', () => {
    const { mutations, db } = openStore();
    mutations.record(mutation, call);
    expect(() => db.run('DELETE FROM mutations')).toThrow('immutable: mutations');
    expect(() => db.run(`UPDATE mutations SET facts = '{}'`)).toThrow('immutable');
  });
});

function mutationsMove(
  db: { run(sql: string, ...params: unknown[]): number },
  id: string,
  status: string,
) {
  return () =>
    db.run('UPDATE mutations SET outcome = ? WHERE id = ?', JSON.stringify({ status }), id);
}
