// Pairs two hosts as two people do: one shows a link, the other opens it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { environmentOf, HOLDFAST } from '#test/blackbox/harness/command.ts';
import type { Host } from '#test/blackbox/harness/host.ts';
import { untilHolds } from '#test/blackbox/harness/until.ts';
import type { DeviceView } from '#test/blackbox/harness/views.ts';

const PAIRING_DEADLINE_MS = 60_000;

/** `holdfast pair --json` on one, `holdfast pair LINK` on the other. */
export async function pairByLink(inviter: Host, joiner: Host): Promise<string> {
  const child = spawn(process.execPath, [HOLDFAST, 'pair', '--json', '--data', inviter.dataDir], {
    env: environmentOf(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { link } = JSON.parse(line) as { link: string };
  await joiner.says('pair', link);
  await ended;
  await Promise.all([untilLinked(inviter), untilLinked(joiner)]);
  return link;
}

export async function devicesOf(host: Host): Promise<readonly DeviceView[]> {
  return (await host.call<{ devices: DeviceView[] }>('devices.list', {})).devices;
}

export async function deviceIdOf(host: Host): Promise<string> {
  return (await host.call<{ deviceId: string }>('host.info', {})).deviceId;
}

/** Every paired device is connected and has everything. */
export function untilLinked(host: Host): Promise<readonly DeviceView[]> {
  return untilHolds(
    'the devices are linked',
    PAIRING_DEADLINE_MS,
    () => devicesOf(host),
    (devices) =>
      devices.some(({ state }) => state === 'linked') &&
      devices.every(({ state, sync }) => state !== 'linked' || sync?.state === 'live'),
  );
}
