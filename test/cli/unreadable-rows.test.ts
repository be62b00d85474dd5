// Unreadable rows and held workflows from the command line.
import { expect, onTestFinished, test } from 'vitest';
import { topicId } from '#shared/ids.ts';
import { hostForFile, refused, succeeds } from '#test/cli/holdfast.ts';
import { merge } from '#test/isolation/hostile-host.ts';
import { frameOfRows, templatesOf } from '#test/isolation/hostile-rows.ts';
import { addNamed, startHost } from '#test/support/paired-hosts.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** A decision that holds nothing, and an event that holds its workflow. */
async function seedFolder(): Promise<string> {
  const dataDir = tempFolder();
  const seed = startHost(dataDir);
  const { db } = seed.folder;
  await addNamed(seed, 'Held');
  const workflowId = seed.stores.workflows.named('Held')[0]?.id ?? expect.fail();
  await addNamed(seed, 'Other');
  const { resolutions, events } = templatesOf(workflowId, topicId(workflowId, 'in'));
  const decision = { ...resolutions?.columns, facts: { mutation_id: 5, workflow_id: workflowId } };
  merge({ host: seed }, frameOfRows(db, 'resolutions', [{ key: ['r1'], columns: decision }], 0));
  const event = { ...events?.columns, content: { title: 5 } };
  merge({ host: seed }, frameOfRows(db, 'events', [{ key: ['e1'], columns: event }], 1));
  await seed.close();
  return dataDir;
}

test('[IS-1] [IS-2] [IS-5] inbox, list and acknowledge show unreadable rows and what they hold', async () => {
  const dataDir = await seedFolder();
  const host = await hostForFile(dataDir);
  onTestFinished(() => host.stop());
  const data = ['--data', dataDir];
  const list = await succeeds('list', ...data);
  expect(list).toMatch(/Held.*held \(holdfast inbox\)/);
  expect(list).not.toMatch(/Other.*held/);
  const inbox = await succeeds('inbox', ...data);
  expect(inbox).toContain('An event can’t be read: content.title');
  expect(inbox).toContain('Holdfast holds this workflow on this device and sends nothing for it.');
  expect(inbox).toContain('A decision about an effect can’t be read: facts.mutation_id');
  const [, id = ''] = /settle {2}holdfast acknowledge (\S+)/.exec(inbox) ?? [];
  expect(await succeeds('acknowledge', id, ...data)).toBe('Acknowledged on this device.\n');
  expect(await succeeds('inbox', ...data)).not.toContain('A decision about an effect');
  const { items } = JSON.parse(await succeeds('inbox', '--json', ...data)) as {
    items: { refusedId: string }[];
  };
  const held = items[0]?.refusedId ?? expect.fail();
  expect(await refused('acknowledge', held, ...data)).toContain('This row holds its workflow');
});
