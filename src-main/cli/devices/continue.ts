// `holdfast continue` runs workflows without waiting for the other devices, and the lines with which
// other commands say that the host waits.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine, showTime } from '#main/cli/print.ts';
import type { StartCheckView } from '#shared/api/start-check.ts';
import type { AskReason } from '#shared/start-check.ts';

const WHY: { readonly [reason in AskReason]: string } = {
  unclean_stop: 'Holdfast did not stop cleanly',
  went_back: 'the database is older than it was before',
  peer_knows_more: 'another device knows of work of this device that is missing here',
};

export function continueCommand(): Command {
  return new Command('continue')
    .description('Run workflows now, without waiting for your other devices')
    .addOption(dataOption())
    .action((options: DataOption) =>
      withHost(options, async (host) => {
        const { asking } = await host.call('startCheck.get', {});
        if (!asking) return printLine('Holdfast is not waiting for other devices.');
        await host.call('startCheck.goOn', {});
        return printLine(
          asking.reason === 'went_back'
            ? 'No longer waiting. Workflows with work that may already be done are paused: see "holdfast restored".'
            : 'No longer waiting. Workflows run now.',
        );
      }),
    );
}

export function describeWaiting({ asking }: StartCheckView): string | null {
  if (!asking) return null;
  const names = asking.waitsFor.map(({ name }) => name).join(', ');
  return `Waiting for your other devices (${names}) until ${showTime(asking.until)}, because ${WHY[asking.reason]}. To run workflows now: holdfast continue`;
}
