// Grants, secrets, the API token, storage, versions and desktop settings, on real hosts.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readToken } from '#main/boundary/token.ts';
import { createHost, type Host } from '#main/host/host.ts';
import type { Desktop } from '#main/platform/desktop.ts';
import { createSilentLog } from '#main/host/log.ts';
import { PAUSED_WITH_ALL } from '#shared/api/desktop.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { createTestHost, LOOPBACK } from '#test/support/create-test-host.ts';
import { eventually } from '#test/support/eventually.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { addNamed, pairHosts, seenBy, startHost, untilLive } from '#test/support/paired-hosts.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { onTestFinished } from 'vitest';

const READER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Reader', uses: { http: { hosts: ['example.org'] }, notify: {} }, topics: ['in'],
  producers: { tick: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: {},
});`;

async function addReader(host: Host, name = 'Reader'): Promise<string> {
  const path = join(tempFolder(), 'reader.ts');
  writeFileSync(path, READER.replace("'Reader'", `'${name}'`));
  return (await succeed(host.dispatch, 'workflows.add', { path })).workflowId;
}

describe('grants', () => {
  test('[ST-2] grants are listed with a description, changed and revoked', async () => {
    const host = createTestHost();
    const workflowId = await addReader(host);
    const list = async () => (await succeed(host.dispatch, 'grants.list', {})).workflows;
    expect(await list()).toMatchObject([
      {
        workflowId,
        name: 'Reader',
        isRunHere: true,
        missing: [],
        grants: [
          { tool: 'http', scope: { hosts: ['example.org'] }, isAsked: true },
          { tool: 'notify', description: 'may show notices', isAsked: true },
        ],
      },
    ]);
    const more = { hosts: ['example.org', 'example.net'] };
    await succeed(host.dispatch, 'workflows.grant', { workflowId, tool: 'http', scope: more });
    const [changed] = await list();
    expect(changed?.grants[0]).toMatchObject({ isAsked: false, scope: more });
    expect(changed?.grants[0]?.description).toContain('example.net');
    const revoke = { workflowId, tool: 'http' };
    expect(await succeed(host.dispatch, 'grants.revoke', revoke)).toEqual({ wasGranted: true });
    expect(await succeed(host.dispatch, 'grants.revoke', revoke)).toEqual({ wasGranted: false });
    expect(await list()).toMatchObject([
      {
        grants: [{ tool: 'notify' }],
        missing: [{ tool: 'http', scope: { hosts: ['example.org'] } }],
      },
    ]);
    const unknown = { workflowId: 'nobody', tool: 'http' };
    expect((await fail(host.dispatch, 'grants.revoke', unknown)).type).toBe('not_found');
    const { tools } = await succeed(host.dispatch, 'grants.list', {});
    expect(tools.find(({ name }) => name === 'files')?.example).toEqual({
      folders: ['~/Invoices'],
    });
  });

  test('[ST-2] a workflow of another device has no grants here', async () => {
    const [owner, other] = [createTestHost(), createTestHost()];
    await addReader(owner);
    exchange(owner.folder.db, other.folder.db);
    const { workflows } = await succeed(other.dispatch, 'grants.list', {});
    expect(workflows).toMatchObject([
      { isRunHere: false, grants: [], missing: [{ tool: 'http' }, { tool: 'notify' }] },
    ]);
  });
});

test('[ST-3] a secret is set, replaced and removed; no result contains its value', async () => {
  const host = createTestHost();
  const results: unknown[] = [];
  const call = async (name: string, input: unknown) => {
    const result = await host.dispatch(name, input);
    results.push(result);
    return result;
  };
  await call('secrets.set', { name: 'mail', value: 'correct-horse-battery' });
  await call('secrets.set', { name: 'mail', value: 'another-staple-value' });
  expect(await succeed(call, 'secrets.names', {})).toEqual({ names: ['mail'] });
  expect(await succeed(call, 'secrets.remove', { name: 'mail' })).toEqual({ removed: true });
  expect(await succeed(call, 'secrets.remove', { name: 'mail' })).toEqual({ removed: false });
  expect((await fail(call, 'secrets.remove', { name: 'holdfast.space' })).type).toBe(
    'invalid_input',
  );
  expect(JSON.stringify(results)).not.toMatch(/battery|staple/);
});

describe('the API token', () => {
  test('[ST-4] after rotation the old token is refused, and feed clients are disconnected', async () => {
    const { host, url, token } = await serveInProcess();
    const ask = (key: string) =>
      fetch(`${url}/api/call/host.info`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{}',
      });
    const feed = new WebSocket(`${url.replace('http', 'ws')}/api/feed`, [
      'holdfast',
      `holdfast.bearer.${token}`,
    ]);
    await new Promise((resolve) => feed.addEventListener('message', resolve, { once: true }));
    const closed = new Promise((resolve) => feed.addEventListener('close', resolve));
    const { token: fresh } = await succeed(host.dispatch, 'token.rotate', {});
    expect(fresh).not.toBe(token);
    expect((await ask(token)).status).toBe(401);
    expect((await ask(fresh)).status).toBe(200);
    await closed;
    expect(readToken(host.folder.dir)).toBe(fresh);
    expect(statSync(join(host.folder.dir, 'api-token')).mode & 0o777).toBe(0o600);
  });
});

describe('the host', () => {
  test('[ST-1] reports its data folder with the size of each part', async () => {
    const host = createTestHost();
    writeFileSync(join(host.folder.dir, 'left-here'), 'x'.repeat(5000));
    const { dataDir, bytes, parts } = await succeed(host.dispatch, 'host.storage', {});
    expect(dataDir).toBe(host.folder.dir);
    expect(parts.reduce((sum, part) => sum + part.bytes, 0)).toBe(bytes);
    const sizeOf = (name: string) => parts.find((part) => part.name === name)?.bytes ?? 0;
    expect(sizeOf('database')).toBeGreaterThan(10_000);
    expect(sizeOf('rest')).toBeGreaterThanOrEqual(5000);
  });

  test('[ST-5] reports the versions of the running software', async () => {
    const host = createTestHost();
    expect(await succeed(host.dispatch, 'host.versions', {})).toEqual({
      holdfast: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      schema: host.folder.migrated.to,
      node: process.versions.node,
      sqlite: expect.stringMatching(/^3\./) as string,
      crsqlite: expect.stringMatching(/^0\.16/) as string,
      electron: null,
      chromium: null,
      platform: `${process.platform} ${process.arch}`,
    });
  });
});

describe('desktop settings', () => {
  test('[ST-6] are null and cannot be changed without a desktop', async () => {
    const host = createTestHost();
    expect(await succeed(host.dispatch, 'desktop.get', {})).toEqual({ desktop: null });
    expect((await fail(host.dispatch, 'desktop.set', { notifications: false })).type).toBe(
      'not_found',
    );
    expect((await fail(host.dispatch, 'desktop.openFolder', {})).type).toBe('not_found');
  });

  test('[ST-6] survive a restart; an error of the desktop is reported', async () => {
    const dataDir = tempFolder();
    let isOn = false;
    const desktop: Desktop = {
      versions: { electron: '1', chromium: '2' },
      startAtLogin: {
        problem: null,
        isOn: () => isOn,
        set: (value) => {
          isOn = value;
        },
      },
      notificationsProblem: null,
      openFolder: () => Promise.reject(new Error('no file manager')),
    };
    const open = (): Host => {
      const host = createHost({ dataDir, createLog: createSilentLog, links: LOOPBACK, desktop });
      onTestFinished(() => host.close());
      return host;
    };
    const first = open();
    const chosen = { startAtLogin: true, notifications: false, keepRunning: false };
    expect(await succeed(first.dispatch, 'desktop.set', chosen)).toMatchObject(chosen);
    const refused = await fail(first.dispatch, 'desktop.openFolder', {});
    expect(refused.message).toContain('no file manager');
    expect(refused.message).toContain(dataDir);
    await first.close();
    const again = await succeed(open().dispatch, 'desktop.get', {});
    expect(again.desktop).toMatchObject(chosen);
  });
});

test('[ST-7] pauseAll and resumeAll leave a workflow that was paused individually', async () => {
  const host = createTestHost();
  const [one, two] = [await addReader(host), await addReader(host, 'Second')];
  const statusOf = async (workflowId: string) => {
    const { status, statusReason } = await succeed(host.dispatch, 'workflows.get', { workflowId });
    return [status, statusReason];
  };
  await succeed(host.dispatch, 'workflows.pause', { workflowId: two, reason: 'On holiday' });
  expect(await succeed(host.dispatch, 'workflows.pauseAll', {})).toEqual({ paused: 1 });
  expect(await statusOf(one)).toEqual(['paused', PAUSED_WITH_ALL]);
  expect(await statusOf(two)).toEqual(['paused', 'On holiday']);
  const { items } = await succeed(host.dispatch, 'inbox.list', {});
  expect(items.filter((item) => item.workflowId === one)).toEqual([]);
  expect(await succeed(host.dispatch, 'workflows.resumeAll', {})).toEqual({ resumed: 1 });
  expect((await statusOf(one))[0]).toBe('active');
  expect(await statusOf(two)).toEqual(['paused', 'On holiday']);
});

test('[DV-6] pending changes of a peer are 0 in sync, and counted while it is away', async () => {
  const one = startHost();
  const folder = tempFolder();
  const other = startHost(folder);
  await pairHosts(one, other);
  await untilLive(one, other);
  await addNamed(one, 'Made while linked');
  await addNamed(other, 'Made there');
  await eventually(async () => {
    const nothing = { outgoing: { changes: 0, isMore: false }, incoming: 0 };
    expect((await seenBy(one, other)).pending).toEqual(nothing);
    expect((await seenBy(other, one)).pending).toEqual(nothing);
  });
  await other.close();
  await eventually(async () => expect((await seenBy(one, other)).state).toBe('away'));
  await addNamed(one, 'Made while away');
  const { pending } = await seenBy(one, other);
  expect(pending?.incoming).toBeNull();
  expect(pending?.outgoing?.isMore).toBe(false);
  expect(pending?.outgoing?.changes).toBeGreaterThan(0);
  expect(pending?.outgoing?.changes).toBeLessThan(20);
});
