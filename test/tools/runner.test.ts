// The runner tool with real workflows and scripts. Hosts are killed while a script runs, and no script
// runs twice for one effect.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import type { RunnerJobStore } from '#main/store/tables/runner-jobs.ts';
import { callMutation, reconcileMutation } from '#main/tools/call-tool.ts';
import { createRunnerTool } from '#main/tools/runner/runner.ts';
import { succeed } from '#test/support/api-calls.ts';
import { exitOf, serveHost, type ServedHost } from '#test/support/child-processes.ts';
import { startRunner, type RunnerUnderTest } from '#test/support/start-runner.ts';
import { markedPids, writeRegistry } from '#test/support/runner-files.ts';
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
    expect(await reconcile('count', 'e1')).toEqual({ type: 'did_not_happen' });
    writeFileSync(join(runner.repo, 'count.sh'), '#!/no/such/program\n');
    expect(await run('count', 'e1')).toMatchObject({ type: 'failed', errorType: 'logic' });
    expect(await reconcile('count', 'e1')).toEqual({ type: 'did_not_happen' });
    writeFileSync(join(runner.repo, 'count.sh'), '#!/bin/sh\necho ran >> ran.txt\n');
    expect(await run('count', 'e1')).toMatchObject({ type: 'applied' });
    expect(jobs.list({ limit: 9 }).jobs).toHaveLength(2);
    expect(timesRan(runner)).toBe(1);
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
    expect(await reconcile('count', 'e2')).toEqual({ type: 'did_not_happen' });
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
  return expect(bound.mutate({ ...effect, params })).resolves.toMatchObject({
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

  test("[RV-4] [RV-5] reconcile derives happened, did_not_happen or unknown from the job's record", async () => {
    const { runner, jobs, reconcile } = setUp(false);
    const same = { machine: 'same', survivors: 0 };
    const restarted = { machine: 'restarted', survivors: 0 };
    const verdict = async (spawn: 'no' | 'asked' | 'done', found: typeof same) =>
      reconcile('count', dead(runner, jobs, spawn, found));
    expect(await verdict('no', same)).toEqual({ type: 'did_not_happen' });
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

  const WORKFLOW = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'runs-a-script',
  uses: { runner: { scripts: ['hang', 'count'] } },
  topics: ['in', 'out'],
  consumers: {
    run: {
      subscribes: 'in',
      publishes: ['out'],
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : { reservations: [] };
      },
      async mutate(ctx, { data }) {
        await ctx.tools.runner.run({ script: data.script, repo: 'main' });
      },
      async next(ctx, prepared, outcome) {
        await ctx.publish('out', { id: 'done', title: 'done', payload: outcome });
      },
    },
  },
});
`;

  function inDatabase<Result>(dataDir: string, work: (db: Database) => Result): Result {
    const db = new Database(join(dataDir, 'holdfast.db'));
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  const jobIn = (dataDir: string): string =>
    inDatabase(dataDir, (db) => db.value<string>('SELECT id FROM runner_jobs') ?? '');

  async function serve(dataDir: string): Promise<ServedHost> {
    process.env['RUNNER_ENABLED'] = 'true';
    try {
      return await serveHost(dataDir);
    } finally {
      delete process.env['RUNNER_ENABLED'];
    }
  }

  function calls({ url, token }: ServedHost) {
    return async (name: string, input: unknown) => {
      const response = await fetch(`${url}/api/call/${name}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: JSON.stringify(input),
      });
      return (await response.json()) as Awaited<ReturnType<Parameters<typeof succeed>[0]>>;
    };
  }

  async function begin(script: string) {
    const dataDir = tempFolder();
    const { repo } = writeRegistry(dataDir, SCRIPTS);
    const path = join(dataDir, 'workflow.ts');
    writeFileSync(path, WORKFLOW);
    const served = await serve(dataDir);
    const { workflowId } = await succeed(calls(served), 'workflows.add', { path });
    const payload = { script };
    const event = { workflowId, topic: 'in', messageId: 'm', title: 'm', payload };
    await succeed(calls(served), 'events.publish', event);
    return { dataDir, repo, served };
  }

  test('[RV-4] after a host is killed, the script is not run again and its run commits', async () => {
    const { dataDir, repo, served } = await begin('hang');
    await expect.poll(() => timesRan({ repo }), { timeout: 15_000 }).toBe(1);
    const exited = exitOf(served.child);
    served.child.kill('SIGKILL');
    await exited;
    const again = await serve(dataDir);
    const phaseOf = async () => {
      const { runs } = await succeed(calls(again), 'handlerRuns.list', {});
      return runs.find(({ phase }) => phase === 'committed')?.id;
    };
    await expect.poll(phaseOf, { timeout: 15_000 }).toBeDefined();
    const detail = await succeed(calls(again), 'handlerRuns.get', {
      handlerRunId: (await phaseOf()) ?? '',
    });
    expect(detail.eventsOut[0]?.payload).toMatchObject({
      status: 'applied',
      result: { status: 'failed', reason: 'recovered_after_crash' },
    });
    expect(timesRan({ repo })).toBe(1);
    expect(markedPids(jobIn(dataDir))).toEqual([]);
  }, 60_000);

  test('[RV-5] after the computer restarted, the effect is indeterminate and waits for a decision', async () => {
    const { dataDir, repo, served } = await begin('hang');
    await expect.poll(() => timesRan({ repo }), { timeout: 15_000 }).toBe(1);
    const exited = exitOf(served.child);
    served.child.kill('SIGKILL');
    await exited;
    // The state after a reboot: no process of the job runs, and the boot id differs.
    for (const pid of markedPids(jobIn(dataDir))) process.kill(pid, 'SIGKILL');
    inDatabase(dataDir, (db) => db.run(`UPDATE runner_jobs SET boot_id = 'an older start'`));
    const again = await serve(dataDir);
    const items = async () => (await succeed(calls(again), 'inbox.list', {})).items;
    await expect
      .poll(async () => (await items()).map(({ type }) => type), { timeout: 15_000 })
      .toEqual(['unknown_effect']);
    const [item] = await items();
    expect(item).toMatchObject({
      mutation: { status: 'indeterminate', error: expect.stringContaining('computer') },
    });
    // The decision that it did not happen makes the script run once more.
    writeFileSync(join(repo, 'hang.sh'), '#!/bin/sh\necho ran >> ran.txt\n');
    const mutationId = item?.type === 'unknown_effect' ? item.mutation.id : '';
    const resolution = { requestId: 'r', mutationId, resolution: 'user_assert_failed' } as const;
    await succeed(calls(again), 'inbox.resolve', resolution);
    await expect.poll(() => timesRan({ repo }), { timeout: 15_000 }).toBe(2);
  }, 60_000);
});
