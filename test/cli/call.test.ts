// `holdfast call` with a running host, without one, and with one that does not respond.
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

test('[CL-2] without a host it opens the folder, and unlocks it afterwards', async () => {
  const dataDir = tempFolder();
  const created = await call(dataDir, ...CREATE);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  const workflow = JSON.parse(created.stdout) as { id: string };
  expect(workflow).toMatchObject({ name: 'From the shell' });
  expect(isFolderLocked(dataDir)).toBe(false);
  expect(existsSync(join(dataDir, 'host.json'))).toBe(false);
  const listed = await call(dataDir, 'workflows.list');
  expect(JSON.parse(listed.stdout)).toEqual({ workflows: [workflow], next: null });
});

test('[CL-2] with a host it calls that host, and prints the errors of calls', async () => {
  const dataDir = tempFolder();
  const host = await serveHost(dataDir);
  const info = await call(dataDir, 'host.info');
  expect(info.code).toBe(0);
  expect(JSON.parse(info.stdout)).toMatchObject({ pid: host.pid });
  const missing = await call(dataDir, 'runs.get', '{"runId":"nobody"}');
  expect(missing).toEqual({
    code: 1,
    stdout: '',
    stderr: 'holdfast: There is no session with the id "nobody". Nothing was changed.\n',
  });
});

test('[CL-2] the pid of a host without an address is in the message', async () => {
  const dataDir = tempFolder();
  createTestHost(dataDir);
  const ended = await call(dataDir, 'host.info');
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(`Process ${process.pid} is using the data folder`);
});

test('[CL-2] an unresponsive host gives one line with its address, not a stack trace', async () => {
  const dataDir = tempFolder();
  const host = createTestHost(dataDir);
  ensureToken(dataDir);
  const url = `http://127.0.0.1:${await closedPort()}`;
  host.folder.lock.announce({ pid: process.pid, startedAt: host.startedAt, url });
  const ended = await call(dataDir, ...CREATE);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(
    /^holdfast: The host of this data folder does not respond at .*may or may not.*\n$/,
  );
  expect(ended.stderr).toContain(url);
});

test('[CL-2] [CL-3] an unknown call or invalid input prints a message and exits with 1', async () => {
  const dataDir = tempFolder();
  const wrong: [string[], RegExp][] = [
    [['runs.destroy'], /^holdfast: There is no API call named "runs\.destroy"\.\n$/],
    [['host.info', '{'], /^holdfast: Invalid JSON: .*Nothing was written\.\n$/],
    [
      ['workflows.get', '{"workflow":1}'],
      /^holdfast: The input of "workflows\.get" is invalid: .*\n$/,
    ],
  ];
  for (const [args, message] of wrong) {
    const ended = await call(dataDir, ...args);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(message);
  }
});

/** A port on which nothing listens, unless another program takes it meanwhile. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
