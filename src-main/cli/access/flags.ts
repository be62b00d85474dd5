// `holdfast flags [NAME on|off]`
import { Argument, Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printTable } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import { FLAG_NAMES, type FlagName } from '#shared/flags.ts';

export function flagsCommand(): Command {
  return new Command('flags')
    .description('List the flags of new sessions, or turn one on or off')
    .addArgument(new Argument('[flag]', 'Flag to change').choices(FLAG_NAMES))
    .addArgument(new Argument('[value]', 'New value').choices(['on', 'off']))
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(
      (
        name: FlagName | undefined,
        value: 'on' | 'off' | undefined,
        options: DataOption & { json?: boolean },
      ) =>
        withHost(options, async (host) => {
          if (name !== undefined && value === undefined) throw valueMissing(name);
          const { flags } =
            name === undefined
              ? await host.call('flags.list', {})
              : await host.call('flags.set', { name, isOn: value === 'on' });
          if (options.json) return printJson({ flags });
          printTable(
            ['flag', 'value', 'meaning'],
            flags.map((flag) => [flag.name, flag.isOn ? 'on' : 'off', flag.meaning]),
            'No flags.',
          );
        }),
    );
}

function valueMissing(name: FlagName): ApiError {
  return new ApiError({
    type: 'invalid_input',
    message: `Say "on" or "off" after ${name}. Nothing was changed.`,
  });
}
