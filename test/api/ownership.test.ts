// Ownership and intents through the API, on real hosts.
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const QUIET = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Quiet', topics: ['in'],
  producers: { tick: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: {},
});`;

async function addQuiet(host: Host): Promise<string> {
  const path = join(tempFolder(), 'quiet.ts');
  writeFileSync(path, QUIET);
  return (await succeed(host.dispatch, 'workflows.add', { path })).workflowId;
}

describe('the owner', () => {
  it('[OW-1] is in the view of a workflow, and ownership.get lists its claims', async () => {
    const host = createTestHost();
    const workflowId = await addQuiet(host);
    const { deviceId } = host.folder.identity;
    const owner = { state: 'owned', deviceId, isThisDevice: true, epoch: 1, toDeviceId: null };
    expect(await succeed(host.dispatch, 'workflows.get', { workflowId })).toMatchObject({ owner });
    expect(await succeed(host.dispatch, 'ownership.get', { workflowId })).toMatchObject({
      owner,
      claims: [{ epoch: 1, deviceId, how: 'added', releasedTo: null }],
      open: [],
    });
  });

  it('[OW-5] [OW-7] hands over to another device and can take the workflow back', async () => {
    const [host, other] = [createTestHost(), createTestHost()];
    const workflowId = await addQuiet(host);
    await host.engine.idle();
    exchange(other.folder.db, host.folder.db);
    const toDeviceId = other.folder.identity.deviceId;
    const handover = { workflowId, toDeviceId };
    const { owner } = await succeed(host.dispatch, 'workflows.handover', handover);
    expect(owner).toMatchObject({ state: 'released', toDeviceId, isThisDevice: true });
    expect((await fail(host.dispatch, 'workflows.handover', handover)).type).toBe('conflict');
    const back = await succeed(host.dispatch, 'workflows.takeover', { workflowId });
    expect(back.owner).toMatchObject({ state: 'owned', isThisDevice: true, epoch: 2 });
    expect(await fail(host.dispatch, 'workflows.takeover', { workflowId })).toMatchObject({
      type: 'conflict',
      message: expect.stringContaining('already') as string,
    });
  });

  it('[OW-15] cannot hand over to an unknown device', async () => {
    const host = createTestHost();
    const workflowId = await addQuiet(host);
    await host.engine.idle();
    const handover = { workflowId, toDeviceId: 'nobody' };
    const refused = await fail(host.dispatch, 'workflows.handover', handover);
    expect(refused).toMatchObject({ type: 'not_found' });
    expect(refused.message).toContain('There is no device with the name or id "nobody".');
    expect(await succeed(host.dispatch, 'ownership.get', { workflowId })).toMatchObject({
      owner: { state: 'owned', isThisDevice: true, epoch: 1 },
      claims: [{ releasedTo: null }],
    });
  });

  it.each(['its name', 'the beginning of its id'] as const)(
    '[AP-7] hands over to the device that %s names',
    async (way) => {
      const [host, other] = [createTestHost(), createTestHost()];
      const workflowId = await addQuiet(host);
      await host.engine.idle();
      await succeed(other.dispatch, 'devices.rename', { name: 'Laptop' });
      exchange(other.folder.db, host.folder.db);
      const { deviceId } = other.folder.identity;
      const toDeviceId = way === 'its name' ? 'Laptop' : deviceId.slice(0, 8);
      const { owner } = await succeed(host.dispatch, 'workflows.handover', {
        workflowId,
        toDeviceId,
      });
      expect(owner).toMatchObject({ state: 'released', toDeviceId: deviceId });
    },
  );

  it('[AP-7] [DV-8] asks which of two devices of one name it is handed over to', async () => {
    const [host, other] = [createTestHost(), createTestHost()];
    const workflowId = await addQuiet(host);
    await host.engine.idle();
    for (const { dispatch } of [host, other]) {
      await succeed(dispatch, 'devices.rename', { name: 'vm' });
    }
    exchange(other.folder.db, host.folder.db);
    const labels = [host, other].map(
      ({ folder }) => `vm (${folder.identity.deviceId.slice(0, 8)})`,
    );
    const { devices } = await succeed(host.dispatch, 'devices.list', {});
    expect(devices.map(({ name }) => name).toSorted()).toEqual(labels.toSorted());
    const refused = await fail(host.dispatch, 'workflows.handover', {
      workflowId,
      toDeviceId: 'vm',
    });
    expect(refused.type).toBe('conflict');
    for (const label of labels) expect(refused.message).toContain(label);
    expect(refused.message).toContain('Nothing was changed.');
  });

  it('[IN-1] [IN-2] carries out intents of another device, where they wait and are listed', async () => {
    const [owner, other] = [createTestHost(), createTestHost()];
    const workflowId = await addQuiet(owner);
    exchange(owner.folder.db, other.folder.db);
    const at = other.dispatch;
    expect(await succeed(at, 'workflows.pause', { workflowId })).toEqual({ waiting: true });
    expect(await succeed(at, 'intents.list', { workflowId })).toMatchObject({
      intents: [{ kind: 'pause', status: 'waiting', deviceId: other.folder.identity.deviceId }],
    });
    const start = { workflowId, lane: 'main', startRequestId: 'manual:x' } as const;
    expect((await fail(at, 'runs.start', start)).type).toBe('conflict');
    exchange(other.folder.db, owner.folder.db);
    expect(await succeed(owner.dispatch, 'workflows.get', { workflowId })).toMatchObject({
      status: 'paused',
    });
    expect(await succeed(owner.dispatch, 'workflows.resume', { workflowId })).toEqual({});
    exchange(owner.folder.db, other.folder.db);
    const { intents } = await succeed(at, 'intents.list', { workflowId });
    expect(intents.map(({ kind, status }) => [kind, status])).toEqual([
      ['resume', 'done'],
      ['pause', 'done'],
    ]);
  });

  it('[OW-11] is still the original device in a copied data folder, until the copy takes over', async () => {
    const folder = tempFolder();
    const first = createTestHost(folder);
    const workflowId = await addQuiet(first);
    await first.close();
    const copy = join(tempFolder(), 'copy');
    cpSync(folder, copy, { recursive: true });
    const host = createTestHost(copy);
    const { owner } = await succeed(host.dispatch, 'workflows.get', { workflowId });
    expect(owner).toMatchObject({
      state: 'owned',
      isThisDevice: false,
      deviceId: first.folder.identity.deviceId,
    });
    const taken = await succeed(host.dispatch, 'workflows.takeover', { workflowId });
    expect(taken.owner).toMatchObject({ isThisDevice: true, epoch: 2 });
  });
});
