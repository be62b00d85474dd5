// Hosts are killed while a workflow's script runs; no script runs twice for one effect.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { succeed } from '#test/support/api-calls.ts';
import { exitOf, serveHost, type ServedHost } from '#test/support/child-processes.ts';
import { markedPids, writeRegistry } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const SCRIPTS = { hang: { sh: 'echo ran >> ran.txt; echo up; sleep 300' } };

const timesRan = ({ repo }: { readonly repo: string }): number => {
  try {
    return readFileSync(join(repo, 'ran.txt'), 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
};

const WORKFLOW = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'runs-a-script',
  uses: { runner: { scripts: ['hang'] } },
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
