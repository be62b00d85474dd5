// `holdfast pair` shows a link and waits for another device; `holdfast pair LINK` opens one.
// `--nearby` and `--with` compare digits with a device in the same network instead.
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { compareWith, waitForComparison } from '#main/cli/devices/pair-by-digits.ts';
import { oneLine, printLine, showTime } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import { explainFailure } from '#shared/sync/pairing/failures.ts';

const POLL_MS = 300;

interface PairOptions extends DataOption {
  readonly nearby?: boolean;
  readonly with?: string;
  readonly json?: boolean;
}

export function pairCommand(): Command {
  return new Command('pair')
    .description('Pair another of your devices with this one')
    .argument('[link]', 'Link shown by "holdfast pair" on the other device')
    .option('--nearby', 'Wait for a device in this network and compare six digits')
    .option('--with <device>', 'Compare with a waiting device, by name or address')
    .addOption(dataOption())
    .option('--json', 'Print one JSON object per line: the link, then the device')
    .action((link: string | undefined, options: PairOptions) =>
      withHost(options, async (host) => {
        if (link !== undefined) await join(host, link, options);
        else if (options.with !== undefined) await compareWith(host, options.with);
        else if (options.nearby) await waitForComparison(host);
        else await invite(host, options);
        if (!host.isRunning && !options.json) printLine(SYNC_NEEDS_HOST);
      }),
    );
}

const SYNC_NEEDS_HOST =
  'No host is running on this data folder. The devices sync when one starts: open the app or run "holdfast serve".';

async function join(host: HostClient, link: string, { json }: PairOptions): Promise<void> {
  const joined = await host.call('devices.join', { link });
  printLine(json ? JSON.stringify({ paired: joined }) : `Paired with "${oneLine(joined.name)}".`);
}

async function invite(host: HostClient, { json }: PairOptions): Promise<void> {
  const { link, invitationId, expiresAt } = await host.call('devices.invite', {});
  if (json) printLine(JSON.stringify({ link, expiresAt }));
  else {
    const { renderUnicodeCompact } = await import('uqr');
    printLine(`${renderUnicodeCompact(link, { border: 2 })}\n`);
    printLine('On the other device, scan this code or run:\n');
    printLine(`  holdfast pair '${link}'\n`);
    printLine(`The link works for one device until ${showTime(expiresAt)}. Waiting …`);
  }
  const deviceId = await waitUntilUsed(host, invitationId);
  const { devices } = await host.call('devices.list', {});
  const name = devices.find(({ id }) => id === deviceId)?.name ?? deviceId;
  printLine(
    json ? JSON.stringify({ paired: { deviceId, name } }) : `Paired with "${oneLine(name)}".`,
  );
}

async function waitUntilUsed(host: HostClient, invitationId: string): Promise<string> {
  for (;;) {
    const { status, deviceId } = await host.call('devices.invitation', { invitationId });
    if (status === 'used' && deviceId !== null) return deviceId;
    if (status !== 'open') {
      const reason = status === 'expired' ? 'expired' : 'too-many-tries';
      throw new ApiError({ type: 'conflict', reason, message: explainFailure(reason) });
    }
    await sleep(POLL_MS);
  }
}
