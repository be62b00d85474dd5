// `holdfast pair`: shows a link for another device and waits for it. `holdfast pair LINK`: opens one.
// `--nearby` and `--with` compare digits instead, with a device of the same network.
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { compareWith, waitForComparison } from '#main/cli/devices/pair-by-digits.ts';
import { oneLine, printLine, showTime } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import { explainFailure } from '#shared/sync/pairing/failures.ts';

const LOOK_AGAIN_MS = 300;

interface PairOptions extends DataOption {
  readonly nearby?: boolean;
  readonly with?: string;
  readonly json?: boolean;
}

export function pairCommand(): Command {
  return new Command('pair')
    .description('pair another of your devices with this one')
    .argument('[link]', 'what "holdfast pair" shows on the other device')
    .option('--nearby', 'wait for a device of this network, and compare six digits with it')
    .option('--with <device>', 'compare with a device that waits: its name nearby, or its address')
    .addOption(dataOption())
    .option('--json', 'one JSON object a line: the link, then the device')
    .action((link: string | undefined, options: PairOptions) =>
      withHost(options, async (host) => {
        if (link !== undefined) await join(host, link, options);
        else if (options.with !== undefined) await compareWith(host, options.with);
        else if (options.nearby) await waitForComparison(host);
        else await invite(host, options);
        if (!host.isRunning && !options.json) printLine(HOW_TO_SYNC);
      }),
    );
}

const HOW_TO_SYNC =
  'No host runs on this folder. The devices meet as soon as one does: start the app, or "holdfast serve".';

async function join(host: HostCalls, link: string, { json }: PairOptions): Promise<void> {
  const joined = await host.call('devices.join', { link });
  printLine(
    json
      ? JSON.stringify({ paired: joined })
      : `This device is paired with "${oneLine(joined.name)}".`,
  );
}

async function invite(host: HostCalls, { json }: PairOptions): Promise<void> {
  const { link, invitationId, expiresAt } = await host.call('devices.invite', {});
  if (json) printLine(JSON.stringify({ link, expiresAt }));
  else {
    const { renderUnicodeCompact } = await import('uqr');
    printLine(`${renderUnicodeCompact(link, { border: 2 })}\n`);
    printLine('On the other device, scan this, or run:\n');
    printLine(`  holdfast pair '${link}'\n`);
    printLine(`It is for one device, until ${showTime(expiresAt)}. Waiting for it …`);
  }
  const deviceId = await untilUsed(host, invitationId);
  const { devices } = await host.call('devices.list', {});
  const name = devices.find(({ id }) => id === deviceId)?.name ?? deviceId;
  printLine(
    json
      ? JSON.stringify({ paired: { deviceId, name } })
      : `This device is paired with "${oneLine(name)}".`,
  );
}

async function untilUsed(host: HostCalls, invitationId: string): Promise<string> {
  for (;;) {
    const { status, deviceId } = await host.call('devices.invitation', { invitationId });
    if (status === 'used' && deviceId !== null) return deviceId;
    if (status !== 'open') {
      const reason = status === 'expired' ? 'expired' : 'too-many-tries';
      throw new ApiError({ type: 'conflict', reason, message: explainFailure(reason) });
    }
    await sleep(LOOK_AGAIN_MS);
  }
}
