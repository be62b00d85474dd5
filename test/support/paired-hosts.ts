// Real hosts in this process, paired by a link over TLS on loopback.
import { expect, onTestFinished } from 'vitest';
import { createHost, type Host, type HostOptions } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import type { DeviceView } from '#shared/api/devices.ts';
import { succeed } from '#test/support/api-calls.ts';
import { LOOPBACK } from '#test/support/create-test-host.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { eventually } from '#test/support/eventually.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export function startHost(dataDir = tempFolder(), more: Partial<HostOptions> = {}): Host {
  const host = createHost({ dataDir, createLog: createSilentLog, links: LOOPBACK, ...more });
  onTestFinished(() => host.close());
  return host;
}

export async function pairHosts(inviter: Host, joiner: Host): Promise<void> {
  const { link } = await succeed(inviter.dispatch, 'devices.invite', {});
  await succeed(joiner.dispatch, 'devices.join', { link });
}

/** The entry of `other` in the device list of `host`. */
export async function seenBy(host: Host, other: Host): Promise<DeviceView> {
  const { devices } = await succeed(host.dispatch, 'devices.list', {});
  const found = devices.find(({ id }) => id === other.folder.identity.deviceId);
  if (!found) throw new Error('The device list does not contain the other host.');
  return found;
}

export async function untilLive(one: Host, other: Host): Promise<void> {
  await eventually(async () => {
    expect((await seenBy(one, other)).sync?.state).toBe('live');
    expect((await seenBy(other, one)).sync?.state).toBe('live');
  });
}

export async function untilEqual(...hosts: readonly Host[]): Promise<void> {
  await eventually(() => {
    const [first, ...rest] = hosts.map(({ folder }) => dumpRows(folder.db));
    for (const rows of rest) expect(rows).toEqual(first);
  });
}

/** Adds a workflow without code: a synced row that runs nothing. */
export async function addNamed(host: Host, name: string): Promise<void> {
  await succeed(host.dispatch, 'workflows.create', { requestId: name, name });
}

export function publishMany(host: Host, count: number, prefix = 'message'): void {
  const { stores } = host;
  const topic = stores.topics.ensure('workflow-1', 'mail');
  for (let made = 0; made < count; made += 10) {
    host.folder.db.write(() => {
      for (let n = made; n < Math.min(made + 10, count); n += 1) {
        const payload = { n, text: `payload of ${prefix} ${n}` };
        stores.events.publish({ topic, messageId: `${prefix}-${n}`, title: `Mail ${n}`, payload });
      }
    });
  }
}
