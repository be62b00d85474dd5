// `holdfast raw-payloads [DAYS]`
import { Command, InvalidArgumentError } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine } from '#main/cli/print.ts';
import type { RawPayloadsView } from '#shared/api/inputs.ts';

export function rawPayloadsCommand(): Command {
  return new Command('raw-payloads')
    .description('Show or set how many days the payloads of inputs stay as they were received')
    .argument(
      '[days]',
      'Number of days; 0 stores none and deletes those that are stored',
      parseDays,
    )
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((days: number | undefined, options: DataOption & { json?: boolean }) =>
      withHost(options, async (host) => {
        const view =
          days === undefined
            ? await host.call('rawPayloads.get', {})
            : await host.call('rawPayloads.choose', { days });
        if (options.json) return printJson(view);
        printLine(describe(view));
      }),
    );
}

function parseDays(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Must be a number of days, or 0.');
}

function describe({ days, stored, bytes }: RawPayloadsView): string {
  if (days === 0) return 'Raw payloads are not stored.';
  const now = `${stored} ${stored === 1 ? 'is' : 'are'} stored now, ${bytes} bytes.`;
  return `Raw payloads stay for ${days} ${days === 1 ? 'day' : 'days'}, sealed, on this device only. ${now}`;
}
