// A link between a host in Node (OpenSSL) and one in Electron (BoringSSL). Both sides dial.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Host } from '#main/host/host.ts';
import type { DeviceView } from '#shared/api/devices.ts';
import { succeed, type Call } from '#test/support/api-calls.ts';
import { callIn, electronTitle, launchApp, noElectron } from '#test/support/electron-app.ts';
import { eventually } from '#test/support/eventually.ts';
import { addNamed, startHost } from '#test/support/paired-hosts.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const ON_LOOPBACK = { HOLDFAST_LINK_HOST: '127.0.0.1', HOLDFAST_LINK_PORT: '0' };

async function launchLinked(): Promise<Call> {
  const { app, page } = await launchApp(tempFolder(), { env: ON_LOOPBACK });
  onTestFinished(() => app.close());
  return callIn(page);
}

const other = async (call: Call): Promise<DeviceView | undefined> =>
  (await succeed(call, 'devices.list', {})).devices.find(({ state }) => state !== 'this');

const names = async (call: Call): Promise<string[]> =>
  (await succeed(call, 'workflows.list', {})).workflows.map(({ name }) => name).toSorted();

/** Expects both sides to be live and to have each other's writes. */
async function expectShared(node: Host, window: Call): Promise<void> {
  await eventually(async () => {
    expect((await other(node.dispatch))?.sync?.state).toBe('live');
    expect((await other(window))?.sync?.state).toBe('live');
  });
  await addNamed(node, 'Made in Node');
  await succeed(window, 'workflows.create', { requestId: 'w', name: 'Made in the window' });
  await eventually(async () => {
    expect(await names(node.dispatch)).toEqual(['Made in Node', 'Made in the window']);
    expect(await names(window)).toEqual(['Made in Node', 'Made in the window']);
  });
}

describe.skipIf(noElectron !== undefined)(electronTitle('links of the desktop app'), () => {
  test('[SH-3] joins a host in Node by link, and both sync', async () => {
    const node = startHost();
    const window = await launchLinked();
    const { link } = await succeed(node.dispatch, 'devices.invite', {});
    await succeed(window, 'devices.join', { link });
    await expectShared(node, window);
  });

  test('[SH-3] a host in Node joins by link and both sync; after unpairing both know it', async () => {
    const node = startHost();
    const window = await launchLinked();
    const { link } = await succeed(window, 'devices.invite', {});
    await succeed(node.dispatch, 'devices.join', { link });
    await expectShared(node, window);
    const deviceId = (await other(window))?.id ?? '';
    await succeed(window, 'devices.unpair', { deviceId });
    await eventually(async () => {
      expect((await other(node.dispatch))?.state).toBe('unpaired');
      expect((await other(window))?.state).toBe('unpaired');
    });
  });
});
