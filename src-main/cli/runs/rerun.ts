// `holdfast rerun EVENT`: on purpose once more, so with a new effect.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { WAITS_FOR_HOST, withHost, type DataOption } from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printLine } from '#main/cli/print.ts';
import type { Json } from '#shared/json.ts';

export function rerunCommand(): Command {
  return new Command('rerun')
    .description('have an event handled once more: a new attempt, with a new effect')
    .argument('<event>', 'its id, as "holdfast show" and "holdfast inbox" show it')
    .option('--payload <json>', 'with another content than it had', parseJsonArgument)
    .addOption(dataOption())
    .action((eventId: string, options: DataOption & { payload?: Json }) =>
      withHost(options, async (host) => {
        const { payload } = options;
        const event = await host.call('events.rerun', {
          eventId,
          ...(payload === undefined ? {} : { payload }),
        });
        printLine(`"${event.title}" is pending again: attempt ${event.attempt}.`);
        if (!host.isRunning) printLine(WAITS_FOR_HOST);
      }),
    );
}
