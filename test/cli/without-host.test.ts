// Commands while no host is running: requests are stored until one starts.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPractice } from '#main/practice/practice.ts';
import { isFolderLocked } from '#main/data-folder/folder-lock.ts';
import { holdfast, holdfastWith, postingWorkflow, refused, succeeds } from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { firstLine, startNode } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

test('[CL-2] add and publish take effect only when a host runs; run is refused', async () => {
  const folder = tempFolder();
  const data = ['--data', join(folder, 'data')];
  const practice = await startPractice({ port: 0 });
  const file = join(folder, 'poster.ts');
  writeFileSync(file, postingWorkflow(new URL(practice.url).host));
  expect(await succeeds('list', ...data)).toMatch(/^No workflows yet\./);
  expect(await succeeds('add', file, ...data)).toMatch(
    /activated version .*\nNo host is running .*\n$/,
  );
  expect(await succeeds('publish', 'poster', 'in', '{}', ...data)).toMatch(
    /\nNo host is running .*\n$/,
  );
  expect(await refused('run', 'poster', 'tick', ...data)).toMatch(
    /Start one with "holdfast serve"/,
  );
  expect(practice.effects()).toEqual([]);
  expect(isFolderLocked(join(folder, 'data'))).toBe(false);
  const { workflows } = JSON.parse(await succeeds('list', '--json', ...data)) as {
    workflows: { topics: { name: string; pending: number }[] }[];
  };
  expect(workflows[0]?.topics).toEqual([{ name: 'in', pending: 1 }]);

  const host = createTestHost(join(folder, 'data'));
  await host.engine.idle();
  expect(practice.effects()).toHaveLength(1);
  expect((await succeed(host.dispatch, 'inbox.list', {})).items).toEqual([]);
  await practice.close();
});

test('[SE-1] a secret is read from standard input, not from arguments, and only its name is listed', async () => {
  const dataDir = tempFolder();
  const set = await holdfastWith('correct horse\n', 'secret', 'set', 'mail', '--data', dataDir);
  expect(set).toEqual({ code: 0, stdout: 'Saved the secret "mail".\n', stderr: '' });
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600);
  const [names, argument] = await Promise.all([
    succeeds('secret', 'list', '--data', dataDir),
    holdfast('secret', 'set', 'mail', 'correct horse', '--data', tempFolder()),
  ]);
  expect(names).toBe('mail\n');
  expect(argument).toMatchObject({ code: 1, stdout: '' });
  expect(argument.stderr).toMatch(/too many arguments/);
});

test('[PR-1] holdfast practice prints its address, accepts effects, and needs a free port', async () => {
  const child = startNode('bin/holdfast.mjs', ['practice', '--port', '0', '--json']);
  const { url } = JSON.parse(await firstLine(child.stdout)) as { url: string };
  const acted = await fetch(`${url}/effects/hello`, { method: 'POST', body: '{}' });
  expect(acted.status).toBe(201);
  const { port } = new URL(url);
  expect(await refused('practice', '--port', port)).toMatch(/^holdfast: Port \d+ is in use/);
});
