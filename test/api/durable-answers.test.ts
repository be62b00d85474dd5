// Answers of the API and of the runner wait for the disk. The disk completes an fsync when the test
// says so.
import { describe, expect, test, vi } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { eventually } from '#test/support/eventually.ts';
import { send } from '#test/support/http-client.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';

/** Resolves to what the promise gave within a moment, else to 'waiting'. */
async function soon(promise: Promise<unknown>): Promise<unknown> {
  let result: unknown = 'waiting';
  void promise.then((value) => {
    result = value;
  });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done));
  return result;
}

function slowFsync(host: Host): { finish(error?: Error): void } {
  let finish: (error?: Error) => void = () => undefined;
  vi.spyOn(host.folder.db, 'fsync').mockImplementation(
    () =>
      new Promise<void>((resolve, reject) => {
        finish = (error) => (error ? reject(error) : resolve());
      }),
  );
  return { finish: (error) => finish(error) };
}

const NEW = { requestId: 'r1', name: 'Mine' };

describe('an answer', () => {
  test('[DT-4] to a call that wrote waits for the disk, one to a read does not', async () => {
    const host = createTestHost();
    const disk = slowFsync(host);
    const created = host.dispatch('workflows.create', NEW);
    expect(await soon(created)).toBe('waiting');
    expect(await succeed(host.dispatch, 'workflows.list', { limit: 10 })).toMatchObject({
      workflows: [{ name: 'Mine' }],
    });
    disk.finish();
    expect(await created).toMatchObject({ ok: true });
  });

  test('[DT-4] says that the change may be lost if the disk fails', async () => {
    const host = createTestHost();
    const disk = slowFsync(host);
    const created = host.dispatch('workflows.create', NEW);
    await soon(created);
    disk.finish(new Error('EIO'));
    expect(await created).toMatchObject({
      ok: false,
      error: { type: 'internal', message: expect.stringContaining('a power cut could undo it') },
    });
  });

  test('[DT-4] of the runner that wrote waits for the disk, one that read does not', async () => {
    const { host, url, token } = await serveInProcess();
    const disk = slowFsync(host);
    const ask = (method: string, path: string) =>
      send(url, {
        method,
        path: `/api/runner/${path}`,
        headers: { Authorization: `Bearer ${token}` },
      });
    const canceled = ask('POST', 'jobs/none/cancel');
    await eventually(() => expect(host.folder.db.fsync).toHaveBeenCalled());
    expect((await ask('GET', 'jobs')).status).toBe(200);
    expect(await soon(canceled)).toBe('waiting');
    disk.finish();
    expect((await canceled).status).toBe(404);
    expect(host.folder.db.fsync).toHaveBeenCalledOnce();
  });
});
