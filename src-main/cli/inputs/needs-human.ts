// `holdfast needs-human [--remind 1d] [--within 30d] [--otherwise timed_out|failed]`
import { Command, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine } from '#main/cli/print.ts';
import { durationInWords, NEEDS_HUMAN_ENDS, type NeedsHuman } from '#shared/inputs/needs-human.ts';

interface NeedsHumanOptions extends DataOption {
  readonly remind?: string;
  readonly within?: string;
  readonly otherwise?: NeedsHuman['otherwise'];
  readonly json?: boolean;
}

export function needsHumanCommand(): Command {
  return new Command('needs-human')
    .description('Show or set how long inputs wait for a person, and how they end if nobody acts')
    .option('--remind <time>', 'When the first reminder comes: 12h, 1d')
    .option('--within <time>', 'When the input ends if nobody acts: 14d, 30d')
    .addOption(new Option('--otherwise <end>', 'How it ends then').choices([...NEEDS_HUMAN_ENDS]))
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(({ remind, within, otherwise, ...options }: NeedsHumanOptions) =>
      withHost(options, async (host) => {
        const known = await host.call('needsHuman.get', {});
        const isChange = [remind, within, otherwise].some((one) => one !== undefined);
        const rule = !isChange
          ? known
          : await host.call('needsHuman.choose', {
              remind: remind ?? known.remind,
              within: within ?? known.within,
              otherwise: otherwise ?? known.otherwise,
            });
        if (options.json) return printJson(rule);
        printLine(describeRule(rule));
      }),
    );
}

function describeRule({ remind, within, otherwise }: NeedsHuman): string {
  return `An input that needs a person is reminded of after ${durationInWords(remind)}, and ends as ${otherwise.replace('_', ' ')} after ${durationInWords(within)} if nobody acts. Workflows can choose their own times.`;
}
