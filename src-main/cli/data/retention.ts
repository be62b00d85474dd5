// `holdfast retention [DAYS|forever]`
import { Command, InvalidArgumentError } from 'commander';
import { parseCount } from '#main/cli/options/count-option.ts';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { printJson, printLine, showTime } from '#main/cli/print.ts';
import type { RetentionView } from '#shared/api/upkeep.ts';

interface RetentionCliOptions extends DataOption {
  readonly now?: boolean;
  readonly preview?: boolean;
  readonly json?: boolean;
}

export function retentionCommand(): Command {
  return new Command('retention')
    .description('Show or set how long history stays in the database before it is archived')
    .argument('[days]', 'Number of days, or "forever"', parseDays)
    .option('--now', 'Archive old history now')
    .option('--preview', 'Show what would be archived now; change nothing')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((days: number | null | undefined, options: RetentionCliOptions) =>
      withHost(options, async (host) => {
        if (options.preview) return preview(host, days, options);
        const view =
          days === undefined
            ? await host.call('retention.get', {})
            : await host.call('retention.choose', { days });
        const passed = options.now ? await host.call('retention.pass', {}) : null;
        if (options.json) return printJson({ ...view, ...passed });
        printLine(describeRetention(view));
        if (passed) printLine(`Archived ${passed.rows} rows.`);
      }),
    );
}

async function preview(
  host: HostClient,
  requested: number | null | undefined,
  { json }: RetentionCliOptions,
): Promise<void> {
  const days = requested === undefined ? (await host.call('retention.get', {})).days : requested;
  if (days === null) return printLine('History is never archived.');
  const view = await host.call('retention.preview', { days });
  if (json) return printJson(view);
  const { runs, events, isMore, cutoff } = view;
  printLine(
    `Would archive ${isMore ? 'at least ' : ''}${runs} runs and ${events} events that ended before ${showTime(Math.max(0, cutoff))}. Nothing was changed.`,
  );
}

/** `null` means forever; commander uses `undefined` for a missing argument. */
function parseDays(text: string): number | null {
  if (text === 'forever') return null;
  try {
    return parseCount(text);
  } catch {
    throw new InvalidArgumentError('Must be a number of days or "forever".');
  }
}

function describeRetention({ days, cutoff, waitsFor }: RetentionView): string {
  if (days === null) return 'History is never archived.';
  const held =
    waitsFor === null || cutoff === null
      ? ''
      : ` For now, only history that ended before ${showTime(Math.max(0, cutoff))} is archived, because the device "${waitsFor}" has not synced since. Connect it or unpair it.`;
  return `History of workflows that this device runs is archived after ${days} ${days === 1 ? 'day' : 'days'}. Unfinished runs are not archived.${held}`;
}
