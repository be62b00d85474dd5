// The acceptance list and the test matrix of spec 000.
import { describe, expect, it } from 'vitest';
import { RunContextStore, type StartRequest } from '#main/store/tables/active-sessions.ts';
import type { ScriptRun } from '#main/store/tables/script-runs.ts';
import { sha256Hex } from '#shared/ids.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';

const request: StartRequest = {
  workflowId: 'w',
  lane: 'main',
  startRequestId: 'manual:1',
  trigger: 'manual',
};

async function start(store: OpenStore, changes: Partial<StartRequest> = {}): Promise<ScriptRun> {
  const result = await store.runContexts.createRunContext({ ...request, ...changes });
  if (result.type !== 'started') throw new Error(result.message);
  return result.run;
}

function withWorkflow(code?: string): OpenStore {
  const store = openStore();
  addWorkflow(store, 'w', code);
  return store;
}

const end = (runId: string, terminalEventId = 'end-1') =>
  ({ runId, status: 'completed', terminalEventId }) as const;

describe('createRunContext', () => {
  it('[SR-1] a duplicate start request id returns the same run', async () => {
    const store = withWorkflow();
    const first = await store.runContexts.createRunContext(request);
    expect(first).toMatchObject({ type: 'started', created: true });
    await store.clock.advance(1000);
    const second = await store.runContexts.createRunContext(request);
    expect(second).toEqual({ ...first, created: false });
    expect(store.db.get('SELECT count(*) AS n FROM script_runs')).toEqual({ n: 1 });
  });

  it('[SR-1] a duplicate start of an ended run returns that run and activates nothing', async () => {
    const store = withWorkflow();
    const run = await start(store);
    store.runContexts.finishRun(end(run.id));
    const again = await store.runContexts.createRunContext(request);
    expect(again).toMatchObject({ created: false, run: { id: run.id } });
    expect(store.runContexts.get('w', 'main')?.activeRunId).toBeNull();
  });

  it('[SR-1] two devices without a connection derive the same run id from the same request', async () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    for (const store of [one, other]) addWorkflow(store, 'w');
    expect((await start(one)).id).toBe((await start(other)).id);
  });

  it('[SR-2] a start while a run is active is refused with the id of the active run', async () => {
    const store = withWorkflow();
    const run = await start(store);
    const second = await store.runContexts.createRunContext({
      ...request,
      startRequestId: 'manual:2',
    });
    expect(second).toMatchObject({ type: 'active_run_exists', activeRunId: run.id });
    expect(store.runContexts.get('w', 'main')).toMatchObject({ activeRunId: run.id, version: 1 });
    expect(store.db.get('SELECT count(*) AS n FROM script_runs')).toEqual({ n: 1 });
  });

  it.each(['booting', 'running', 'validating'])(
    '[SR-2] the database rejects a second active run beside one that is %s',
    async (status) => {
      const store = withWorkflow();
      const run = await start(store);
      if (status !== 'booting') store.runContexts.bindRunSandbox(run.id, 'sandbox-1');
      if (status === 'validating') store.scriptRuns.move(run.id, { type: 'validate' });
      expect(store.scriptRuns.get(run.id)?.state.status).toBe(status);
      const facts = JSON.stringify({
        workflow_id: 'w',
        lane: 'main',
        device_id: 'device-a',
        created_at: 1,
      });
      const insert = (): number =>
        store.db.run(
          `INSERT INTO script_runs (id, facts, progress) VALUES ('x', ?, '{"status":"booting"}')`,
          facts,
        );
      expect(insert).toThrow('UNIQUE constraint failed: run_guard');
      store.runContexts.finishRun(end(run.id));
      expect(insert()).toBe(1);
    },
  );

  it('[SR-2] a start of an unknown workflow returns not_found and writes no pointer', async () => {
    const store = openStore();
    expect(await store.runContexts.createRunContext(request)).toMatchObject({ type: 'not_found' });
    expect(store.runContexts.get('w', 'main')).toBeUndefined();
  });

  it('[SR-5] the lanes of one workflow have separate active runs', async () => {
    const store = withWorkflow();
    const [main, draft] = [await start(store), await start(store, { lane: 'draft' })];
    expect(main.id).not.toBe(draft.id);
    store.runContexts.finishRun(end(main.id));
    expect(store.runContexts.get('w', 'draft')?.activeRunId).toBe(draft.id);
    expect(store.runContexts.get('w', 'main')?.activeRunId).toBeNull();
  });
});

describe('version conflicts', () => {
  it('[SR-4] a start with a stale version is refused and writes nothing', async () => {
    const store = withWorkflow();
    store.runContexts.finishRun(end((await start(store)).id));
    const before = store.runContexts.get('w', 'main');
    expect(before?.version).toBe(2);
    const stale = store.runContexts.tryStart({ ...request, startRequestId: 'manual:2' }, 1);
    expect(stale.type).toBe('version_conflict');
    expect(store.runContexts.get('w', 'main')).toEqual(before);
    expect(store.db.get('SELECT count(*) AS n FROM script_runs')).toEqual({ n: 1 });
  });

  it('[SR-4] a start makes five attempts, 25 ms × 2^attempt with jitter apart, then returns version_conflict without a wait', async () => {
    const store = withWorkflow();
    const delays: number[] = [];
    const clock = {
      now: store.clock.now,
      wakeAt: store.clock.wakeAt,
      sleep: async (ms: number) => {
        delays.push(ms);
      },
    };
    const context = { ...store.context, clock };
    const contexts = new RunContextStore(context, { ...store, random: () => 0.5 });
    // Simulates a competitor that always wins: the version read is never the version found.
    contexts.get = () => ({
      workflowId: 'w',
      lane: 'main',
      version: 99,
      activeRunId: null,
      sandboxId: null,
      lastAcceptedSeq: 0,
    });
    const result = await contexts.createRunContext(request);
    expect(result).toMatchObject({
      type: 'version_conflict',
      message: expect.stringContaining('Try again') as string,
    });
    expect(delays).toEqual([38, 75, 150, 300]);
  });

  it('[SR-4] a start succeeds on the first attempt whose version is current', async () => {
    const store = withWorkflow();
    const real = store.runContexts.get.bind(store.runContexts);
    let reads = 0;
    store.runContexts.get = (workflowId, lane) => {
      reads += 1;
      const context = real(workflowId, lane);
      return reads <= 2 ? { ...(context ?? FRESH), version: 7 } : context;
    };
    const started = store.runContexts.createRunContext(request);
    await store.clock.advance(200);
    expect(await started).toMatchObject({ type: 'started', created: true });
    expect(reads).toBe(3);
  });

  const FRESH = {
    workflowId: 'w',
    lane: 'main',
    version: 0,
    activeRunId: null,
    sandboxId: null,
    lastAcceptedSeq: 0,
  } as const;
});

describe('the immutable record', () => {
  it('[SR-6] the database refuses to change the facts or the id of a run, or to delete it', async () => {
    const { db, ...store } = withWorkflow();
    await start({ db, ...store });
    expect(() => db.run(`UPDATE script_runs SET facts = '{}'`)).toThrow('immutable');
    expect(() => db.run(`UPDATE script_runs SET id = 'x'`)).toThrow('immutable');
    expect(() => db.run('DELETE FROM script_runs')).toThrow('immutable');
  });

  it('[SR-6] ended runs stay listed after the pointer moves on', async () => {
    const store = withWorkflow();
    const ids: string[] = [];
    for (const n of [1, 2, 3]) {
      const run = await start(store, { startRequestId: `manual:${n}` });
      ids.push(run.id);
      store.runContexts.finishRun(end(run.id, `end-${n}`));
      await store.clock.advance(10);
    }
    expect(store.scriptRuns.list({ limit: 10 }).runs.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(store.runContexts.get('w', 'main')).toMatchObject({ version: 6, activeRunId: null });
  });

  it('[FL-2] a run keeps the flags it started with after the settings change', async () => {
    const store = withWorkflow();
    store.settings.set('flags', { sandboxPreview: true });
    const run = await start(store);
    store.settings.set('flags', { sandboxPreview: false, daemonRunIdStrict: false });
    expect(store.scriptRuns.get(run.id)?.flags).toEqual({
      sandboxPreview: true,
      daemonRunIdStrict: true,
    });
    expect(store.db.get('SELECT flags FROM script_runs')).toEqual({
      flags: '{"sandboxPreview":true,"daemonRunIdStrict":true}',
    });
  });

  it('[SR-10] a run records the hash of the version active at its start and at its end', async () => {
    const store = withWorkflow('v1');
    const run = await start(store);
    expect(run.runStartSha).toBe(sha256Hex('v1'));
    const next = store.scripts.ensure('w', 'v2');
    store.db.run(
      `UPDATE workflows SET definition = json_set(definition, '$.script_id', ?)`,
      next.id,
    );
    expect(await start(store)).toMatchObject({ runStartSha: sha256Hex('v1') });
    store.runContexts.finishRun(end(run.id));
    expect(store.scriptRuns.get(run.id)).toMatchObject({
      runStartSha: sha256Hex('v1'),
      state: { runEndSha: sha256Hex('v2') },
    });
  });

  it('[SR-10] a run of a workflow without a version records the hash of the empty text', async () => {
    expect(await start(withWorkflow())).toMatchObject({
      runStartSha: sha256Hex(''),
      scriptId: null,
    });
  });
});

describe('ending a run', () => {
  it('[SR-7] a repeated terminal event is a duplicate and leaves the run unchanged', async () => {
    const store = withWorkflow();
    const run = await start(store);
    const first = store.runContexts.finishRun(end(run.id));
    expect(first).toMatchObject({ type: 'finished', duplicate: false });
    await store.clock.advance(1000);
    const second = store.runContexts.finishRun(end(run.id));
    expect(second).toMatchObject({ type: 'finished', duplicate: true });
    expect(second).toHaveProperty('run', (first as { run: ScriptRun }).run);
  });

  it('[SR-7] a second terminal event is refused by the state machine and by the database', async () => {
    const store = withWorkflow();
    const run = await start(store);
    store.runContexts.finishRun(end(run.id));
    const other = { runId: run.id, status: 'failed', terminalEventId: 'end-2' } as const;
    expect(store.runContexts.finishRun(other)).toMatchObject({
      type: 'rejected',
      from: 'completed',
      event: 'failed',
    });
    const progress = JSON.stringify({ status: 'completed', terminal_event_id: 'end-2' });
    expect(() => store.db.run('UPDATE script_runs SET progress = ?', progress)).toThrow('illegal');
    expect(store.scriptRuns.get(run.id)?.state).toMatchObject({ terminalEventId: 'end-1' });
  });

  it('[SR-7] finishing an unknown run returns not_found', () => {
    expect(openStore().runContexts.finishRun(end('x')).type).toBe('not_found');
  });
});

describe('sandbox binding', () => {
  it('[SR-9] binding sets the sandbox in the run and in the pointer', async () => {
    const store = withWorkflow();
    const run = await start(store);
    expect(store.runContexts.bindRunSandbox(run.id, 'box-1')).toMatchObject({ duplicate: false });
    expect(store.scriptRuns.get(run.id)?.state).toEqual({ status: 'running', sandboxId: 'box-1' });
    expect(store.runContexts.get('w', 'main')).toMatchObject({ sandboxId: 'box-1', version: 2 });
  });

  it('[SR-9] binding the same sandbox again changes nothing; binding another is refused', async () => {
    const store = withWorkflow();
    const run = await start(store);
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    const before = store.runContexts.get('w', 'main');
    expect(store.runContexts.bindRunSandbox(run.id, 'box-1')).toMatchObject({ duplicate: true });
    expect(store.runContexts.bindRunSandbox(run.id, 'box-2').type).toBe('rejected');
    expect(store.runContexts.bindRunSandbox('missing', 'box-2').type).toBe('not_found');
    expect(store.runContexts.get('w', 'main')).toEqual(before);
    const progress = JSON.stringify({ status: 'validating', sandbox_id: 'box-2' });
    expect(() => store.db.run('UPDATE script_runs SET progress = ?', progress)).toThrow(
      'immutable: script_runs.sandbox_id',
    );
  });

  it('[SR-8] acceptSeq accepts only strictly greater numbers, with or without a gap', async () => {
    const store = withWorkflow();
    const run = await start(store);
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    const claim = { workflowId: 'w', lane: 'main', runId: run.id, sandboxId: 'box-1' } as const;
    const accepted = [1, 1, 3, 2, 10, 9].map((seq) => store.runContexts.acceptSeq(claim, seq));
    expect(accepted).toEqual([true, false, true, false, true, false]);
    expect(store.runContexts.get('w', 'main')?.lastAcceptedSeq).toBe(10);
  });

  it('[SR-8] acceptSeq accepts numbers only from the sandbox bound to the active run', async () => {
    const store = withWorkflow();
    const run = await start(store);
    const claim = { workflowId: 'w', lane: 'main', runId: run.id, sandboxId: 'box-1' } as const;
    expect(store.runContexts.acceptSeq(claim, 1)).toBe(false);
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    expect(store.runContexts.acceptSeq({ ...claim, sandboxId: 'box-2' }, 1)).toBe(false);
    expect(store.runContexts.acceptSeq({ ...claim, runId: 'other' }, 1)).toBe(false);
    expect(store.runContexts.acceptSeq({ ...claim, lane: 'draft' }, 1)).toBe(false);
    expect(store.runContexts.acceptSeq(claim, 1)).toBe(true);
    store.runContexts.finishRun(end(run.id));
    expect(store.runContexts.acceptSeq(claim, 2)).toBe(false);
  });

  it('[FL-4] a strict session refuses another sandbox, also after the flag was switched off', async () => {
    const store = withWorkflow();
    const run = await start(store);
    store.settings.set('flags', { daemonRunIdStrict: false });
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    const claim = { workflowId: 'w', lane: 'main', runId: run.id, sandboxId: 'box-2' } as const;
    expect(store.runContexts.acceptSeq(claim, 1)).toBe(false);
    expect(store.runContexts.get('w', 'main')?.lastAcceptedSeq).toBe(0);
    const log = await store.runState.fetchEvents(run.id);
    expect(log.map(({ eventType }) => eventType)).not.toContain('run.foreign_sandbox');
  });

  it('[FL-4] a session that is not strict accepts greater numbers of another sandbox and logs it once, until its end', async () => {
    const store = withWorkflow();
    store.settings.set('flags', { daemonRunIdStrict: false });
    const run = await start(store);
    store.settings.set('flags', { daemonRunIdStrict: true });
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    const claim = { workflowId: 'w', lane: 'main', runId: run.id, sandboxId: 'box-2' } as const;
    const { runContexts } = store;
    expect([1, 1, 2].map((seq) => runContexts.acceptSeq(claim, seq))).toEqual([true, false, true]);
    expect(runContexts.acceptSeq({ ...claim, runId: 'another' }, 3)).toBe(false);
    runContexts.finishRun({ runId: run.id, status: 'completed', terminalEventId: 'end' });
    expect(runContexts.acceptSeq(claim, 4)).toBe(false);
    const log = await store.runState.fetchEvents(run.id);
    expect(log.filter(({ eventType }) => eventType === 'run.foreign_sandbox')).toMatchObject([
      { payload: { sandboxId: 'box-2', boundTo: 'box-1' } },
    ]);
  });

  it('[SR-8] a new run accepts numbers from 1 again', async () => {
    const store = withWorkflow();
    const first = await start(store);
    store.runContexts.bindRunSandbox(first.id, 'box-1');
    const claim = { workflowId: 'w', lane: 'main', runId: first.id, sandboxId: 'box-1' } as const;
    store.runContexts.acceptSeq(claim, 50);
    store.runContexts.finishRun(end(first.id));
    const second = await start(store, { startRequestId: 'manual:2' });
    store.runContexts.bindRunSandbox(second.id, 'box-2');
    const next = { ...claim, runId: second.id, sandboxId: 'box-2' };
    expect(store.runContexts.acceptSeq(next, 1)).toBe(true);
  });
});

describe('session log', () => {
  it('[SR-14] start, binding and end are logged once each, also when repeated', async () => {
    const store = withWorkflow('v1');
    const run = await start(store);
    await start(store);
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    store.runContexts.finishRun({ ...end(run.id), error: 'why' });
    store.runContexts.finishRun(end(run.id));
    const events = await store.runState.fetchEvents(run.id);
    expect(events.map(({ runSeq, eventType }) => [runSeq, eventType])).toEqual([
      [1, 'run.started'],
      [2, 'run.bound'],
      [3, 'run.completed'],
    ]);
    expect(events[0]).toMatchObject({
      tenantId: 'space-1',
      projectId: 'w',
      environmentId: 'main',
      planId: run.scriptId,
      planVersion: sha256Hex('v1'),
      payload: { trigger: 'manual', deviceId: 'device-a' },
    });
    expect(events[2]?.payload).toMatchObject({ terminalEventId: 'end-1', error: 'why' });
    expect(await store.runState.projectSnapshot(run.id)).toMatchObject({ status: 'completed' });
  });

  it('[SR-14] start, binding, validating and end are one commit each, with their log entry', async () => {
    const store = withWorkflow();
    const logged: number[] = [];
    const count = 'SELECT count(*) FROM run_events';
    store.db.changes.onCommit(() => logged.push(store.db.value<number>(count) ?? 0));
    const run = await start(store);
    store.runContexts.bindRunSandbox(run.id, 'box-1');
    store.runContexts.validateRun(run.id);
    store.runContexts.finishRun(end(run.id));
    expect(logged).toEqual([1, 2, 3, 4]);
  });

  it('[SR-14] a refused start appends nothing to the log', async () => {
    const store = withWorkflow();
    await start(store);
    await store.runContexts.createRunContext({ ...request, startRequestId: 'manual:2' });
    expect(store.db.get('SELECT count(*) AS n FROM run_events')).toEqual({ n: 1 });
  });
});

describe('validation', () => {
  it('[SR-11] each lane of a workflow has its own validation result', async () => {
    const { laneValidation, clock } = openStore();
    laneValidation.set({ workflowId: 'w', lane: 'main', scriptId: 's1', problems: [] });
    laneValidation.set({ workflowId: 'w', lane: 'draft', scriptId: 's2', problems: ['line 3'] });
    expect(laneValidation.get('w', 'main')).toMatchObject({ status: 'valid', scriptId: 's1' });
    expect(laneValidation.get('w', 'draft')).toMatchObject({
      status: 'invalid',
      problems: ['line 3'],
    });
    await clock.advance(5);
    laneValidation.set({ workflowId: 'w', lane: 'draft', scriptId: 's3', problems: [] });
    expect(laneValidation.get('w', 'draft')).toEqual({
      workflowId: 'w',
      lane: 'draft',
      scriptId: 's3',
      status: 'valid',
      problems: [],
      validatedAt: clock.now(),
    });
    expect(laneValidation.get('w', 'main')?.scriptId).toBe('s1');
  });
});
