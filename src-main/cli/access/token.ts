// `holdfast token add|list|remove|rotate`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

export function tokenCommand(): Command {
  return new Command('token')
    .description('Manage the API token, and named tokens for the REST API of the runner')
    .addCommand(addCommand())
    .addCommand(listTokensCommand())
    .addCommand(removeCommand())
    .addCommand(rotateCommand());
}

function addCommand(): Command {
  return new Command('add')
    .description('Add a token for one caller of the runner, and print it once')
    .argument('<name>', 'Name of the caller; its jobs show it')
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      const { token } = await withHost(options, (host) => host.call('tokens.add', { name }));
      printLine(token);
    });
}

function listTokensCommand(): Command {
  return new Command('list')
    .description('List the names of the tokens for the runner')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { names } = await withHost(options, (host) => host.call('tokens.names', {}));
      if (options.json) printJson({ names });
      else
        printTable(
          ['name'],
          names.map((name) => [name]),
          'No tokens.',
        );
    });
}

function removeCommand(): Command {
  return new Command('remove')
    .description('Remove a token; its caller loses access immediately')
    .argument('<name>', 'Name shown by "holdfast token list"')
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      const { removed } = await withHost(options, (host) => host.call('tokens.remove', { name }));
      if (!removed) {
        throw new ApiError({
          type: 'not_found',
          message: `There is no token "${name}". Nothing was changed.`,
        });
      }
      printLine(`Removed the token "${name}".`);
    });
}

function rotateCommand(): Command {
  return new Command('rotate')
    .description('Replace the API token; browsers and programs need the new one')
    .addOption(dataOption())
    .action(async (options: DataOption) => {
      await withHost(options, (host) => host.call('token.rotate', {}));
      // Not printed, because terminals keep their output.
      printLine('Replaced the API token. The new one is in "api-token" in the data folder.');
    });
}
