// `holdfast rerun EVENT`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { PENDING_UNTIL_HOST_RUNS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printLine } from '#main/cli/print.ts';
import type { Json } from '#shared/json.ts';

export function rerunCommand(): Command {
  return new Command('rerun')
    .description('Process an event again as a new attempt with a new effect')
    .argument('<event>', 'Id shown by "holdfast show" or "holdfast inbox"')
    .option('--payload <json>', 'New payload for the event', parseJsonArgument)
    .addOption(dataOption())
    .action((eventId: string, options: DataOption & { payload?: Json }) =>
      withHost(options, async (host) => {
        const { payload } = options;
        const event = await host.call('events.rerun', {
          eventId,
          ...(payload === undefined ? {} : { payload }),
        });
        printLine(`"${event.title}" is pending again (attempt ${event.attempt}).`);
        if (!host.isRunning) printLine(PENDING_UNTIL_HOST_RUNS);
      }),
    );
}
