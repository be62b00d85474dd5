// Counts the write transactions of one webhook on a real host, from the POST to the stored result.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { countWalCommits } from '#test/support/wal-commits.ts';
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

it('[IG-14] a webhook with one effect takes at most 10 commits, from the POST to its completion artifact, and at most 9 in a session that is open', async () => {
  const served = await serveInProcess();
  const { host } = served;
  const folder = tempFolder();
  const workflowId = await addWorkflow(host, writerTo(folder));
  host.stores.grants.set(workflowId, 'files', { folders: [folder] });
  const { url, secret } = await makeHook(served, workflowId);
  const commitsOf = async (name: string): Promise<number> => {
    // Adding the workflow creates its topics in a later turn.
    for (let turn = 0; turn < 3; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      await host.engine.idle();
    }
    const before = countWalCommits(host.folder.db.path);
    const response = await post(url, secret, { name });
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    await eventually(async () => {
      const run = host.stores.automationRuns.ofInput(id);
      expect(run?.state.status).toBe('succeeded');
      expect(run?.completionArtifactRef).not.toBeNull();
    });
    expect(existsSync(join(folder, name))).toBe(true);
    return countWalCommits(host.folder.db.path) - before;
  };
  const [first, second] = [await commitsOf('one.txt'), await commitsOf('two.txt')];
  // Fewer than this cannot be: the input, in flight, the outcome and the end are commits of their own.
  expect(Math.min(first, second)).toBeGreaterThanOrEqual(4);
  expect(first).toBeLessThanOrEqual(10);
  // On a machine that stalls for seconds, the session ends in between and another one is opened.
  const sessions = host.folder.db.value('SELECT count(*) FROM script_runs');
  expect(second).toBeLessThanOrEqual(sessions === 1 ? 9 : 11);
});
