// `holdfast log [LEVEL]`
import { Argument, Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine } from '#main/cli/print.ts';
import { LOG_LEVELS, type LogLevelName } from '#shared/log-levels.ts';

export function logCommand(): Command {
  return new Command('log')
    .description('Show where the log is and how much it records, or change that')
    .addArgument(new Argument('[level]', 'New level').choices(LOG_LEVELS))
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((level: LogLevelName | undefined, options: DataOption & { json?: boolean }) =>
      withHost(options, async (host) => {
        const view =
          level === undefined
            ? await host.call('log.get', {})
            : await host.call('log.choose', { level });
        if (options.json) return printJson(view);
        const from = view.isFromEnvironment
          ? ' That is from HOLDFAST_LOG_LEVEL, which counts more than the setting.'
          : '';
        printLine(`The level of ${view.file} is ${view.level}.${from}`);
      }),
    );
}
