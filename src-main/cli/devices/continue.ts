// `holdfast continue`, which runs workflows without waiting for the other devices. Also the line with
// which other commands report that wait.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine, showTime } from '#main/cli/print.ts';
import type { StartCheckView } from '#shared/api/start-check.ts';
import type { AskReason } from '#shared/start-check.ts';

const WHY: { readonly [reason in AskReason]: string } = {
  unclean_stop: 'Holdfast did not stop cleanly',
  went_back: 'its database went back to an earlier state',
  peer_knows_more: 'work of this device is missing in its database',
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
            ? 'Stopped waiting. Workflows with work that may already be done are paused: see "holdfast restored".'
            : 'Stopped waiting. Workflows run now.',
        );
      }),
    );
}

export function describeWaiting({ asking }: StartCheckView): string | null {
  if (!asking) return null;
  const names = asking.waitsFor.map(({ name }) => name).join(', ');
  return `Waiting for your other devices (${names}) until ${showTime(asking.until)}, because ${WHY[asking.reason]}. To run workflows now: holdfast continue`;
}
