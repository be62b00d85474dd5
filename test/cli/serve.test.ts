// `holdfast serve`, from its first line to its end.
import { existsSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readToken, tokenPath } from '#main/boundary/token.ts';
import { isFolderLocked, readHostRecord } from '#main/data-folder/folder-lock.ts';
import { succeed } from '#test/support/api-calls.ts';
import { callOver, openFeed } from '#test/support/http-client.ts';
import { exitOf, firstLine, runNode, serveHost, startNode } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

test('[HT-5] the first line says where it answers, with which token, as which process', async () => {
  const dataDir = tempFolder();
  const { child, ...hello } = await serveHost(dataDir);
  expect(hello).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    token: readToken(dataDir),
    pid: child.pid,
  });
  expect(hello.token).toMatch(/^[\w-]{43}$/);
  expect(statSync(tokenPath(dataDir)).mode & 0o777).toBe(0o600);
  expect(readHostRecord(dataDir)).toMatchObject({ pid: hello.pid, url: hello.url });
  expect(await callOver(hello, 'host.info', {})).toMatchObject({
    ok: true,
    output: { pid: hello.pid },
  });
});

test('[HT-5] without --json it prints an address that carries the token in its fragment', async () => {
  const dataDir = tempFolder();
  const child = startNode('bin/holdfast.mjs', ['serve', '--data', dataDir]);
  expect(await firstLine(child.stdout)).toBe(
    'Holdfast is running. Open this address in a browser:',
  );
  expect(readToken(dataDir)).toMatch(/^[\w-]{43}$/);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '[HT-5] %s ends it cleanly: exit code 0, the folder free, even with clients connected',
  async (signal) => {
    const dataDir = tempFolder();
    const { child, ...place } = await serveHost(dataDir);
    const { socket, messages } = await openFeed(place);
    await messages.until(({ type }) => type === 'hello');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    child.stdout.resume();
    const ended = exitOf(child);
    child.kill(signal);
    expect(await ended).toBe(0);
    await closed;
    expect(isFolderLocked(dataDir)).toBe(false);
    expect(existsSync(join(dataDir, 'host.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'holdfast.db-wal'))).toBe(false);
  },
);

test('[HT-5] token and data outlive a restart', async () => {
  const dataDir = tempFolder();
  const first = await serveHost(dataDir);
  const call = callOver.bind(null, first);
  const made = await succeed(call, 'workflows.create', { requestId: 'r', name: 'Kept' });
  first.child.stdout.resume();
  const ended = exitOf(first.child);
  first.child.kill('SIGTERM');
  await ended;
  const second = await serveHost(dataDir);
  expect(second.token).toBe(first.token);
  expect(second.pid).not.toBe(first.pid);
  const kept = await succeed(callOver.bind(null, second), 'workflows.get', { workflowId: made.id });
  expect(kept).toEqual(made);
});

test('[HT-5] a killed host leaves a folder that the next one can open, with the same token', async () => {
  const dataDir = tempFolder();
  const first = await serveHost(dataDir);
  first.child.stdout.resume();
  const ended = exitOf(first.child);
  first.child.kill('SIGKILL');
  await ended;
  expect((await serveHost(dataDir)).token).toBe(first.token);
});

test('[DF-2] [HT-5] a second host on the same folder gets a sentence with the process of the first', async () => {
  const dataDir = tempFolder();
  const first = await serveHost(dataDir);
  const second = await runNode('bin/holdfast.mjs', ['serve', '--data', dataDir, '--json']);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`The process ${first.pid} has the data folder ${dataDir} open.`);
  expect(readHostRecord(dataDir)).toMatchObject({ pid: first.pid, url: first.url });
});

test('[HT-5] a port that is taken gets a sentence, and the folder is free again', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    other.close();
  });
  const { port } = other.address() as AddressInfo;
  const dataDir = tempFolder();
  const ended = await runNode('bin/holdfast.mjs', [
    'serve',
    '--data',
    dataDir,
    '--port',
    `${port}`,
  ]);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toMatch(
    new RegExp(`^holdfast: The port ${port} is taken by another program\\..*--port`, 'm'),
  );
  expect(isFolderLocked(dataDir)).toBe(false);
  const { url } = await serveHost(dataDir, ['--port', '0']);
  expect(url).not.toContain(`:${port}`);
});
