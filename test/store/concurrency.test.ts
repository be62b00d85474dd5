// Concurrent writers: several processes on one database file.
import { describe, expect, it } from 'vitest';
import { addWorkflow, openStore } from '#test/support/open-store.ts';
import { runNode } from '#test/support/child-processes.ts';

const WRITERS = ['a', 'b', 'c', 'd'];

function runWorkers(worker: string, argsOf: (name: string) => string[]): Promise<string[][]> {
  return Promise.all(
    WRITERS.map(async (name) => {
      const { code, stdout, stderr } = await runNode(
        `test/support/workers/${worker}.ts`,
        argsOf(name),
      );
      expect(stderr).toBe('');
      expect(code).toBe(0);
      return stdout.trim().split('\n').filter(Boolean);
    }),
  );
}

describe('several processes on one database', () => {
  it('[RL-5] concurrent appends to one run get consecutive numbers', async () => {
    const { path, runState, db } = openStore();
    await runWorkers('append-events', (name) => [path, 'run-1', name, '150']);
    const seqs = (await runState.fetchEvents('run-1')).map(({ runSeq }) => runSeq);
    expect(seqs).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    expect(db.pragma('integrity_check')).toBe('ok');
  });

  it('[RL-2] the same events from several processes are appended once, and all get the same numbers', async () => {
    const { path, runState } = openStore();
    const results = await runWorkers('append-events', () => [path, 'run-1', 'same', '50']);
    const events = await runState.fetchEvents('run-1');
    expect(events.length).toBe(50);
    for (const lines of results) expect(lines).toEqual(results[0]);
  });

  it('[SR-3] only one of several concurrent starts is active at a time, and every start has a recorded result', async () => {
    const store = openStore();
    addWorkflow(store, 'w');
    const results = (
      await runWorkers('start-runs', (name) => [store.path, 'main', name, '25'])
    ).flat();
    expect(results.length).toBe(100);
    const created = results.filter((line) => line === 'created').length;
    expect(created).toBeGreaterThan(10);
    for (const line of results) {
      expect(['created', 'active_run_exists', 'version_conflict']).toContain(line);
    }
    expect(store.db.get('SELECT count(*) AS n FROM script_runs')).toEqual({ n: created });
    expect(store.runContexts.get('w', 'main')).toMatchObject({
      activeRunId: null,
      version: created * 2,
    });
    expect(overlaps(store)).toBe(0);
  });

  it('[SR-3] the same start request from several processes creates one run', async () => {
    const store = openStore();
    addWorkflow(store, 'w');
    const results = (
      await runWorkers('start-runs', () => [store.path, 'main', 'shared', '20'])
    ).flat();
    const { n } = store.db.get('SELECT count(*) AS n FROM script_runs') as { n: number };
    expect(results.filter((line) => line === 'created').length).toBe(n);
    expect(n).toBeLessThanOrEqual(20);
    expect(n).toBeGreaterThan(0);
  });

  it('[SR-5] concurrent starts in two lanes never meet: each lane starts every session it is asked for', async () => {
    const store = openStore();
    addWorkflow(store, 'w');
    const [main, draft] = await Promise.all(
      ['main', 'draft'].map(async (lane) => {
        const args = [store.path, lane, lane, '25'];
        const { code, stdout, stderr } = await runNode('test/support/workers/start-runs.ts', args);
        expect([code, stderr]).toEqual([0, '']);
        return stdout.trim().split('\n');
      }),
    );
    // A lane that saw the session or the pointer of the other would refuse or repeat a start.
    for (const results of [main, draft]) expect(results).toEqual(Array(25).fill('created'));
    for (const lane of ['main', 'draft'] as const) {
      expect(store.runContexts.get('w', lane)).toMatchObject({ version: 50, activeRunId: null });
    }
  });

  it('[SR-8] no sequence number is accepted twice or out of order by concurrent processes', async () => {
    const store = openStore();
    addWorkflow(store, 'w');
    const started = await store.runContexts.createRunContext({
      workflowId: 'w',
      lane: 'main',
      startRequestId: 's',
      trigger: 'manual',
    });
    if (started.type !== 'started') throw new Error(started.type);
    store.runContexts.bindRunSandbox(started.run.id, 'box-1');
    const accepted = await runWorkers('accept-seqs', () => [
      store.path,
      started.run.id,
      '1',
      '200',
    ]);
    const all = accepted.flat().map(Number);
    expect(new Set(all).size).toBe(all.length);
    for (const mine of accepted.map((lines) => lines.map(Number))) {
      expect(mine).toEqual(mine.toSorted((a, b) => a - b));
    }
    expect(store.runContexts.get('w', 'main')?.lastAcceptedSeq).toBe(200);
  });
});

/** Every start in the log is followed by its own end before the next start. */
function overlaps(store: ReturnType<typeof openStore>): number {
  const rows = store.db.all<{ run_id: string; event_type: string }>(
    'SELECT run_id, event_type FROM run_events ORDER BY rowid',
  );
  let count = 0;
  for (const [index, row] of rows.entries()) {
    const next = rows[index + 1];
    if (row.event_type === 'run.started' && next?.run_id !== row.run_id) count += 1;
  }
  return count;
}
