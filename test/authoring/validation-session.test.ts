// Checks of changed workflow files, as sessions of the draft lane.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ScriptRun } from '#main/store/tables/script-runs.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const CHANGED = `${POSTER}\n// changed`;

function draftSessions({ store }: EngineUnderTest): ScriptRun[] {
  const { runs } = store.scriptRuns.list({ limit: 50 });
  return runs.filter(({ lane }) => lane === 'draft').toReversed();
}

/** Calls `look` while the sandbox reads a file. */
function duringCheck({ engine }: EngineUnderTest, look: () => void): void {
  const { sandbox } = engine.context;
  Object.assign(engine.context, {
    sandbox: {
      run: (...args: Parameters<typeof sandbox.run>) => {
        look();
        return sandbox.run(...args);
      },
      close: () => sandbox.close(),
    },
  });
}

describe('a changed workflow file', () => {
  it('[SR-18] [SR-14] is checked in one session of the draft lane, which is validating meanwhile', async () => {
    const under = startEngine();
    const workflowId = await under.add(POSTER);
    expect(draftSessions(under)).toEqual([]);
    const seen: unknown[] = [];
    duringCheck(under, () => seen.push(draftSessions(under).map(({ state }) => state.status)));
    await under.add(CHANGED);
    await under.add(CHANGED);
    expect(seen).toEqual([['validating'], ['completed']]);
    const [session, ...others] = draftSessions(under);
    expect(others).toEqual([]);
    expect(session).toMatchObject({
      workflowId,
      trigger: 'manual',
      state: { status: 'completed' },
    });
    const log = await under.store.runState.fetchEvents(session?.id ?? '');
    expect(log.map(({ eventType }) => eventType)).toEqual([
      'run.started',
      'run.bound',
      'run.validating',
      'run.completed',
    ]);
    expect(under.store.runContexts.get(workflowId, 'draft')?.activeRunId).toBeNull();
  });

  it('[SR-18] [SR-11] that is not valid fails its session and the validation of the draft lane only', async () => {
    const under = startEngine();
    const { store } = under;
    const workflowId = await under.add(POSTER);
    const main = store.laneValidation.get(workflowId, 'main');
    expect(main).toMatchObject({
      status: 'valid',
      scriptId: store.workflows.get(workflowId)?.scriptId,
    });
    await expect(under.add('export default workflow({')).rejects.toThrow(/was not added/);
    expect(draftSessions(under)).toMatchObject([
      { state: { status: 'failed', error: expect.stringContaining('was not added') } },
    ]);
    expect(store.laneValidation.get(workflowId, 'draft')).toMatchObject({
      status: 'invalid',
      problems: [expect.stringMatching(/^workflow\.ts:\d+:\d+: /)],
    });
    expect(store.laneValidation.get(workflowId, 'main')).toEqual(main);
  });

  it('[SR-18] is checked without a session while another one is active in the draft lane', async () => {
    const under = startEngine();
    const { store } = under;
    const workflowId = await under.add(POSTER);
    const start = { workflowId, lane: 'draft', startRequestId: 'mine', trigger: 'manual' } as const;
    await store.runContexts.createRunContext(start);
    await under.add(CHANGED);
    expect(draftSessions(under)).toMatchObject([
      { startRequestId: 'mine', state: { status: 'booting' } },
    ]);
    expect(store.laneValidation.get(workflowId, 'draft')?.status).toBe('valid');
    expect(store.workflows.get(workflowId)?.draft).not.toBeNull();
  });

  it('[SR-18] [SR-15] whose check a crash cut off has a canceled session, and another one for the next check', async () => {
    const first = startEngine();
    const workflowId = await first.add(POSTER);
    const path = first.store.workflowFiles.ofWorkflow(workflowId) ?? '';
    writeFileSync(path, CHANGED);
    duringCheck(first, () => first.store.db.close());
    await expect(first.library.add(path)).rejects.toThrow();
    const second = first.crash();
    expect(draftSessions(second).map(({ state }) => state)).toMatchObject([
      { status: 'canceled', error: 'Holdfast stopped in the middle of this session.' },
    ]);
    // Sessions that started in one millisecond are listed by id.
    await second.pass(1);
    await second.library.add(path);
    expect(draftSessions(second).map(({ state }) => state.status)).toEqual([
      'canceled',
      'completed',
    ]);
  });

  it('[SR-11] that is activated has its validation in the main lane, from when it was checked', async () => {
    const under = startEngine();
    const { store, library } = under;
    const workflowId = await under.add(POSTER);
    await under.pass(60_000);
    await under.add(CHANGED);
    const draft = store.laneValidation.get(workflowId, 'draft');
    await under.pass(60_000);
    library.activate(workflowId);
    expect(store.laneValidation.get(workflowId, 'main')).toEqual({ ...draft, lane: 'main' });
    expect(draft?.scriptId).toBe(store.workflows.get(workflowId)?.scriptId);
    expect(store.clock.now() - (draft?.validatedAt ?? 0)).toBe(60_000);
  });
});

it('[SR-11] a new file has its validation in the main lane and none in the draft lane', async () => {
  const { store, library } = startEngine();
  const path = join(store.path, '..', 'new.ts');
  writeFileSync(path, POSTER);
  const { workflowId } = await library.add(path);
  expect(store.laneValidation.get(workflowId, 'main')?.status).toBe('valid');
  expect(store.laneValidation.get(workflowId, 'draft')).toBeUndefined();
});
