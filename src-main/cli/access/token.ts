// `holdfast token rotate`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function tokenCommand(): Command {
  return new Command('token').description('Manage the API token').addCommand(
    new Command('rotate')
      .description('Replace the API token; browsers and programs need the new one')
      .addOption(dataOption())
      .action(async (options: DataOption) => {
        await withHost(options, (host) => host.call('token.rotate', {}));
        // Not printed, because terminals keep their output.
        printLine('Replaced the API token. The new one is in "api-token" in the data folder.');
      }),
  );
}
