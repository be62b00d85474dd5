// `holdfast retention [DAYS|forever]`: how long history stays in the database.
import { Command, InvalidArgumentError } from 'commander';
import { parseCount } from '#main/cli/options/count-option.ts';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { printJson, printLine, showTime } from '#main/cli/print.ts';
import type { RetentionView } from '#shared/api/upkeep.ts';

interface RetentionCliOptions extends DataOption {
  readonly now?: boolean;
  readonly preview?: boolean;
  readonly json?: boolean;
}

export function retentionCommand(): Command {
  return new Command('retention')
    .description('see or choose how long history stays before it is archived')
    .argument('[days]', 'so many days, or "forever"', parseDays)
    .option('--now', 'archive what is old now')
    .option('--preview', 'say what would leave now, and choose nothing')
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
    .action((days: number | null | undefined, options: RetentionCliOptions) =>
      withHost(options, async (host) => {
        if (options.preview) return preview(host, days, options);
        const view =
          days === undefined
            ? await host.call('retention.get', {})
            : await host.call('retention.choose', { days });
        const passed = options.now ? await host.call('retention.pass', {}) : null;
        if (options.json) return printJson({ ...view, ...passed });
        printLine(inWords(view));
        if (passed) printLine(`Archived now: ${passed.rows} rows.`);
      }),
    );
}

async function preview(
  host: HostCalls,
  wanted: number | null | undefined,
  { json }: RetentionCliOptions,
): Promise<void> {
  const days = wanted === undefined ? (await host.call('retention.get', {})).days : wanted;
  if (days === null) return printLine('History stays for ever: nothing would leave.');
  const known = await host.call('retention.preview', { days });
  if (json) return printJson(known);
  const { runs, events, isMore, cutoff } = known;
  printLine(
    `Would leave now: ${isMore ? 'at least ' : ''}${runs} runs and ${events} events that ended before ${showTime(Math.max(0, cutoff))}. Nothing was changed.`,
  );
}

/** Commander takes `undefined` for "not given": `null` is for ever. */
function parseDays(text: string): number | null {
  if (text === 'forever') return null;
  try {
    return parseCount(text);
  } catch {
    throw new InvalidArgumentError('It is neither a number of days nor "forever".');
  }
}

function inWords({ days, cutoff, waitsFor }: RetentionView): string {
  if (days === null) return 'History stays for ever.';
  const held =
    waitsFor === null || cutoff === null
      ? ''
      : ` Now only what ended before ${showTime(Math.max(0, cutoff))}: the device "${waitsFor}" has not had the rest yet. Connect it, or unpair it.`;
  return `History of workflows that this device runs is archived after ${days} ${days === 1 ? 'day' : 'days'}; what is unfinished stays.${held}`;
}
