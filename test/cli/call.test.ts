// `holdfast call`: with a host on the folder, without one, and with one that does not answer.
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureToken } from '#main/boundary/token.ts';
import { isFolderLocked } from '#main/data-folder/folder-lock.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { runNode, serveHost, type Ended } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function call(dataDir: string, ...args: readonly string[]): Promise<Ended> {
  return runNode('bin/holdfast.mjs', ['call', ...args, '--data', dataDir]);
}

const CREATE = ['workflows.create', '{"requestId":"r","name":"From the shell"}'] as const;

test('[CL-2] without a host it opens the folder itself, and leaves it to the next', async () => {
  const dataDir = tempFolder();
  const made = await call(dataDir, ...CREATE);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const workflow = JSON.parse(made.stdout) as { id: string };
  expect(workflow).toMatchObject({ name: 'From the shell' });
  expect(isFolderLocked(dataDir)).toBe(false);
  expect(existsSync(join(dataDir, 'host.json'))).toBe(false);
  const listed = await call(dataDir, 'workflows.list');
  expect(JSON.parse(listed.stdout)).toEqual({ workflows: [workflow], next: null });
});

test('[CL-2] with a host it reaches that one, for calls and their errors', async () => {
  const dataDir = tempFolder();
  const host = await serveHost(dataDir);
  const info = await call(dataDir, 'host.info');
  expect(info.code).toBe(0);
  expect(JSON.parse(info.stdout)).toMatchObject({ pid: host.pid });
  const missing = await call(dataDir, 'runs.get', '{"runId":"nobody"}');
  expect(missing).toEqual({
    code: 1,
    stdout: '',
    stderr: 'holdfast: There is no run with the id "nobody".\n',
  });
});

test('[CL-2] a host that cannot be called is named by its process', async () => {
  const dataDir = tempFolder();
  createTestHost(dataDir);
  const ended = await call(dataDir, 'host.info');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(`The process ${process.pid} has the data folder`);
});

test('[CL-2] a host that does not answer gets a sentence, not a stack', async () => {
  const dataDir = tempFolder();
  const host = createTestHost(dataDir);
  ensureToken(dataDir);
  const url = `http://127.0.0.1:${await closedPort()}`;
  host.folder.lock.announce({ pid: process.pid, startedAt: host.startedAt, url });
  const ended = await call(dataDir, ...CREATE);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(
    /^holdfast: The host of this data folder does not answer at .*not known.*\n$/,
  );
  expect(ended.stderr).toContain(url);
});

test('[CL-2] [CL-3] a wrong call or input gets its sentence and exit code 1', async () => {
  const dataDir = tempFolder();
  const wrong: [string[], RegExp][] = [
    [['runs.destroy'], /^holdfast: There is no call named "runs\.destroy"\.\n$/],
    [['host.info', '{'], /^holdfast: The body is not JSON: .*Nothing was written\.\n$/],
    [
      ['workflows.get', '{"workflow":1}'],
      /^holdfast: The input of "workflows\.get" does not fit: .*\n$/,
    ],
  ];
  for (const [args, sentence] of wrong) {
    const ended = await call(dataDir, ...args);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(sentence);
  }
});

/** A port where nobody listens, as far as one can know. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
