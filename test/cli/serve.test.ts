// `holdfast serve`
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

test('[HT-5] with --json the first line has url, token and pid, and the API responds there', async () => {
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

test('[HT-5] without --json it asks to open an address in a browser', async () => {
  const dataDir = tempFolder();
  const child = startNode('bin/holdfast.mjs', ['serve', '--data', dataDir]);
  expect(await firstLine(child.stdout)).toBe(
    'Holdfast is running. Open this address in a browser:',
  );
  expect(readToken(dataDir)).toMatch(/^[\w-]{43}$/);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '[HT-5] %s ends it with exit code 0, an unlocked folder and no WAL, even with a connected client',
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

test('[HT-5] token and data survive a restart', async () => {
  const dataDir = tempFolder();
  const first = await serveHost(dataDir);
  const call = callOver.bind(null, first);
  const created = await succeed(call, 'workflows.create', { requestId: 'r', name: 'Kept' });
  first.child.stdout.resume();
  const ended = exitOf(first.child);
  first.child.kill('SIGTERM');
  await ended;
  const second = await serveHost(dataDir);
  expect(second.token).toBe(first.token);
  expect(second.pid).not.toBe(first.pid);
  const workflowId = created.id;
  const read = await succeed(callOver.bind(null, second), 'workflows.get', { workflowId });
  expect(read).toEqual(created);
});

test('[HT-5] after a kill the next host opens the folder with the same token', async () => {
  const dataDir = tempFolder();
  const first = await serveHost(dataDir);
  first.child.stdout.resume();
  const ended = exitOf(first.child);
  first.child.kill('SIGKILL');
  await ended;
  expect((await serveHost(dataDir)).token).toBe(first.token);
});

test('[DF-2] [HT-5] a second host on the same folder exits with the pid of the first', async () => {
  const dataDir = tempFolder();
  const first = await serveHost(dataDir);
  const second = await runNode('bin/holdfast.mjs', ['serve', '--data', dataDir, '--json']);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(`Process ${first.pid} is using the data folder ${dataDir}.`);
  expect(readHostRecord(dataDir)).toMatchObject({ pid: first.pid, url: first.url });
});

test('[HT-5] a port in use is reported, and the folder is unlocked again', async () => {
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
    new RegExp(`^holdfast: Port ${port} is in use by another program\\..*--port`, 'm'),
  );
  expect(isFolderLocked(dataDir)).toBe(false);
  const { url } = await serveHost(dataDir, ['--port', '0']);
  expect(url).not.toContain(`:${port}`);
});
