// Counts the write transactions of one webhook on a real host, from the POST to the stored result.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { eventually } from '#test/support/eventually.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { addWorkflow, makeHook, post } from '#test/support/webhooks.ts';

const writerTo = (folder: string): string => `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Writer',
  uses: { files: { folders: [${JSON.stringify(folder)}] } },
  topics: ['in'],
  consumers: {
    write: {
      subscribes: 'in',
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : {};
      },
      async mutate(ctx, { data }) {
        await ctx.tools.files.write({ path: ${JSON.stringify(`${folder}/`)} + data.name, text: 'written' });
      },
    },
  },
});
`;

function countCommits(): { readonly count: () => number; readonly reset: () => void } {
  let commits = 0;
  const { prepare } = Database.prototype;
  onTestFinished(() => {
    Database.prototype.prepare = prepare;
  });
  Database.prototype.prepare = function counted(sql) {
    const statement = prepare.call(this, sql);
    if (sql !== 'COMMIT') return statement;
    const run = (): ReturnType<typeof statement.run> => {
      commits += 1;
      return statement.run();
    };
    return { run } as unknown as typeof statement;
  };
  return { count: () => commits, reset: () => (commits = 0) };
}

it('a webhook with one effect takes at most 9 write transactions, from the POST to its completion artifact', async () => {
  const commits = countCommits();
  const served = await serveInProcess();
  const { host } = served;
  const folder = tempFolder();
  const workflowId = await addWorkflow(host, writerTo(folder));
  host.stores.grants.set(workflowId, 'files', { folders: [folder] });
  const { url, secret } = await makeHook(served, workflowId);
  // Adding the workflow creates its topics in a later turn.
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    await host.engine.idle();
  }
  commits.reset();
  const response = await post(url, secret, { name: 'one.txt' });
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  await eventually(async () => {
    const run = host.stores.automationRuns.ofInput(id);
    expect(run?.state.status).toBe('succeeded');
    expect(run?.completionArtifactRef).not.toBeNull();
  });
  expect(existsSync(join(folder, 'one.txt'))).toBe(true);
  expect(commits.count()).toBeLessThanOrEqual(9);
});
