// `holdfast token rotate`: another key for the loopback API.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function tokenCommand(): Command {
  return new Command('token').description('the key of the loopback API').addCommand(
    new Command('rotate')
      .description('replace it: browsers and programs that have the old one need the new one')
      .addOption(dataOption())
      .action(async (options: DataOption) => {
        await withHost(options, (host) => host.call('token.rotate', {}));
        // Not printed: it lies in the folder, and a terminal keeps what it showed.
        printLine('The key was replaced. It is in the file "api-token" of the data folder.');
      }),
  );
}
