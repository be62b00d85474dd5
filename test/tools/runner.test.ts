// The runner tool with real scripts: no script runs twice for one effect.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';
import { callMutation, reconcileMutation } from '#main/tools/call-tool.ts';
import { createRunnerTool } from '#main/tools/runner/runner.ts';
import { startRunner, type RunnerUnderTest } from '#test/support/start-runner.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { testHost } from '#test/tools/call-host.ts';
import { toolContract } from '#test/tools/tool.suite.ts';

const SCRIPTS = {
  count: { sh: 'echo ran >> ran.txt; echo "to $1"', args: { who: { type: 'string' } } },
  fail: { sh: 'echo ran >> ran.txt; exit 4' },
  hang: { sh: 'echo ran >> ran.txt; echo up; sleep 300' },
};

const timesRan = ({ repo }: { readonly repo: string }): number => {
  try {
    return readFileSync(join(repo, 'ran.txt'), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
};

toolContract('runner', async () => {
  const runner = startRunner({ scripts: SCRIPTS });
  const tool = createRunnerTool(runner.host.runner);
  return {
    tool,
    grant: { scripts: ['count'] },
    otherGrant: { scripts: ['fail'] },
    params: { run: { script: 'count', repo: 'main', args: { who: 'me' } } },
    contacts: () => timesRan(runner),
    loseAnswer: async (call, host) => {
      await callMutation({ runner: tool }, call, host);
      return null;
    },
  };
});

function setUp(isEnabled = true) {
  const runner = startRunner({ scripts: SCRIPTS, config: { isEnabled } });
  const tools = { runner: createRunnerTool(runner.host.runner) };
  const call = (script: string, effectId: string, more: object = {}) => ({
    namespace: 'runner',
    method: 'run',
    params: { script, repo: 'main', ...more },
    grant: { scripts: Object.keys(SCRIPTS) },
    effectId,
  });
  return {
    runner,
    jobs: runner.host.stores.runnerJobs,
    run: (script: string, effectId: string, more?: object, host = testHost()) =>
      callMutation(tools, call(script, effectId, more), host),
    reconcile: (script: string, effectId: string, host = testHost()) =>
      reconcileMutation(tools, { ...call(script, effectId), sentAt: Date.now() }, host),
  };
}

describe('runner.run', () => {
  test('[OW-16] a device cannot reconcile a script that ran on another device', () => {
    const { runner } = setUp();
    const { tools } = runner.host.engine.context;
    const bound = tools.bind('workflow', { runner: { scripts: ['count'] } }, {});
    const call = { namespace: 'runner', method: 'run', params: { script: 'count', repo: 'main' } };
    expect(bound.canReconcile(call)).toBe(true);
    expect(bound.canReconcile({ ...call, isFromElsewhere: true })).toBe(false);
  });

  test('[RV-4] a script that ran is applied, with its exit code, even when it failed', async () => {
    const { run } = setUp();
    expect(await run('count', 'e1', { args: { who: 'you' } })).toMatchObject({
      type: 'applied',
      result: { status: 'succeeded', exitCode: 0, tail: 'to you\n' },
    });
    expect(await run('fail', 'e2')).toMatchObject({
      type: 'applied',
      result: { status: 'failed', exitCode: 4, reason: null },
    });
  });

  test('[RV-4] a second call for the same effect returns the first result and runs nothing', async () => {
    const { runner, run, reconcile } = setUp();
    const first = await run('count', 'e1');
    expect(await run('count', 'e1')).toEqual(first);
    expect(await reconcile('count', 'e1')).toMatchObject({ type: 'happened' });
    expect(timesRan(runner)).toBe(1);
    await run('count', 'e2');
    expect(timesRan(runner)).toBe(2);
  });

  test('[RV-4] a script that never started did not happen and can run in a retry', async () => {
    const { run, reconcile, runner, jobs } = setUp();
    expect(await reconcile('count', 'e1')).toEqual({ type: 'not_there', windowMs: 0 });
    writeFileSync(join(runner.repo, 'count.sh'), '#!/no/such/program\n');
    expect(await run('count', 'e1')).toMatchObject({ type: 'failed', errorType: 'logic' });
    expect(await reconcile('count', 'e1')).toEqual({ type: 'not_there', windowMs: 0 });
    writeFileSync(join(runner.repo, 'count.sh'), '#!/bin/sh\necho ran >> ran.txt\n');
    expect(await run('count', 'e1')).toMatchObject({ type: 'applied' });
    expect(jobs.list({ limit: 9 }).jobs).toHaveLength(2);
    expect(timesRan(runner)).toBe(1);
  });

  test('[BK-8] after a restore, a missing job does not prove that its script did not run', async () => {
    const runner = startRunner({ scripts: SCRIPTS });
    const reconcile = (sentAt: number): Promise<unknown> => {
      const restored = { ...runner.host.runner, recordsSince: 1000 };
      const tools = { runner: createRunnerTool(restored) };
      const params = { script: 'count', repo: 'main' };
      const call = { namespace: 'runner', method: 'run', params, effectId: 'lost', sentAt };
      return reconcileMutation(tools, { ...call, grant: { scripts: ['count'] } }, testHost());
    };
    expect(await reconcile(999)).toMatchObject({ type: 'unknown', isFinal: true });
    expect(await reconcile(1000)).toEqual({ type: 'not_there', windowMs: 0 });
  });

  test('[RV-4] a script outside the grant or with wrong arguments creates no job', async () => {
    const { run, runner } = setUp();
    expect(await run('nope', 'e1')).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(await run('count', 'e2', { args: { x: 1 } })).toMatchObject({
      type: 'failed',
      errorType: 'logic',
      error: expect.stringContaining('"x"'),
    });
    expect(runner.host.stores.runnerJobs.list({ limit: 9 }).jobs).toEqual([]);
  });

  test('[RV-4] reconcile waits for a script that is still running', async () => {
    const { run, reconcile, runner, jobs } = setUp();
    const host = testHost();
    const running = run('hang', 'e1', {}, host);
    await expect.poll(() => timesRan(runner)).toBe(1);
    host.stop();
    expect(await running).toMatchObject({ type: 'ambiguous' });
    const asked = reconcile('hang', 'e1');
    const [job] = jobs.list({ limit: 1 }).jobs;
    runner.host.runner.queue.cancel(job?.id ?? '');
    expect(await asked).toMatchObject({ type: 'happened', result: { status: 'canceled' } });
    expect(timesRan(runner)).toBe(1);
  });

  test('[RV-4] a disabled runner starts nothing and names the setting that enables it', async () => {
    const { run, reconcile, runner } = setUp(false);
    expect(await run('count', 'e1')).toMatchObject({
      type: 'failed',
      errorType: 'permission',
      error: expect.stringContaining('RUNNER_ENABLED=true'),
    });
    runner.run('count', { requestedBy: 'workflow', idempotencyKey: 'e2' });
    expect(await reconcile('count', 'e2')).toEqual({ type: 'not_there', windowMs: 0 });
  });
});

test('[TL-1] the files tool cannot write the script registry outside the data folder', () => {
  const elsewhere = tempFolder();
  const runner = startRunner({
    scripts: SCRIPTS,
    config: { registryPath: join(elsewhere, 'runner.json') },
  });
  const { tools } = runner.host.engine.context;
  const bound = tools.bind('w', { files: { folders: [elsewhere] } }, {});
  const effect = { namespace: 'files', method: 'write', effectId: 'e' };
  const params = { path: join(elsewhere, 'runner.json'), text: '{}' };
  const sending = { maySend: () => null, wasSentBefore: false };
  return expect(bound.mutate({ ...effect, params }, null, sending)).resolves.toMatchObject({
    type: 'failed',
    errorType: 'permission',
  });
});

describe('recovery after a crash', () => {
  /** Adds a job of a launcher that crashed, with what the next launcher found. */
  function dead(
    runner: RunnerUnderTest,
    jobs: RunnerJobStore,
    spawn: 'no' | 'asked' | 'done',
    found: { machine: string; survivors: number },
  ): string {
    const { runnerLauncher } = runner.host.stores;
    const self = { owner: 'dead', bootId: 'b', pid: 1, pidStarted: '1' };
    const version = runnerLauncher.acquire(self, () => true) as number;
    const key = `effect ${Math.random()}`;
    const { id } = runner.run('count', { requestedBy: 'workflow', idempotencyKey: key });
    jobs.claim({ version, bootId: 'b' }, []);
    if (spawn !== 'no') jobs.spawnAsked(id, version);
    if (spawn === 'done') jobs.spawned(id, version, 99, '1');
    const event = { type: 'fail', reason: 'recovered_after_crash', at: Date.now() } as const;
    jobs.end(id, version, event, {}, found);
    return key;
  }

  test("[RV-4] [RV-5] reconcile derives happened, not there or unknown from the job's record", async () => {
    const { runner, jobs, reconcile } = setUp(false);
    const same = { machine: 'same', survivors: 0 };
    const restarted = { machine: 'restarted', survivors: 0 };
    const verdict = async (spawn: 'no' | 'asked' | 'done', found: typeof same) =>
      reconcile('count', dead(runner, jobs, spawn, found));
    expect(await verdict('no', same)).toEqual({ type: 'not_there', windowMs: 0 });
    expect(await verdict('done', same)).toMatchObject({
      type: 'happened',
      result: { status: 'failed', reason: 'recovered_after_crash', exitCode: null },
    });
    expect(await verdict('asked', { ...same, survivors: 1 })).toMatchObject({ type: 'happened' });
    const unknown = { type: 'unknown', isFinal: true };
    expect(await verdict('asked', same)).toMatchObject(unknown);
    for (const spawn of ['no', 'asked', 'done'] as const) {
      expect(await verdict(spawn, restarted)).toMatchObject(unknown);
      expect(await verdict(spawn, { ...same, machine: 'unknown' })).toMatchObject(unknown);
    }
  });
});
