// `holdfast backup`: a copy of the database as it is now, and how those are kept that come by
// themselves.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import { parseCount } from '#main/cli/options/count-option.ts';

interface BackupOptions extends DataOption {
  readonly to?: string;
  readonly list?: boolean;
  readonly keep?: number;
  readonly daily?: boolean;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description('copy the database as it is now, checked; a running host goes on meanwhile')
    .option('--to <dir>', 'into this folder, where Holdfast never removes it')
    .option('--list', 'show the backups of the data folder')
    .option('--keep <n>', 'keep so many of the newest in the data folder', parseCount)
    .option('--daily', 'make one by itself every day')
    .option('--no-daily', 'make none by itself')
    .addOption(dataOption())
    .option('--json', 'print it as JSON')
    .action((options: BackupOptions) => withHost(options, (host) => backUp(host, options)));
}

async function backUp(host: HostCalls, options: BackupOptions): Promise<void> {
  if (options.keep !== undefined || options.daily !== undefined) return choose(host, options);
  if (options.list) return list(host, options);
  const to = options.to === undefined ? {} : { to: resolve(options.to) };
  const made = await host.call('backups.make', to);
  if (options.json) printJson(made);
  else printLine(`Kept as ${made.file} (${size(made.bytes)}, checked).`);
}

async function choose(host: HostCalls, { keep, daily, json }: BackupOptions): Promise<void> {
  const chosen = await host.call('backups.choose', {
    ...(keep === undefined ? {} : { keep }),
    ...(daily === undefined ? {} : { isDaily: daily }),
  });
  if (json) printJson(chosen);
  else printLine(inWords(chosen));
}

async function list(host: HostCalls, { json }: BackupOptions): Promise<void> {
  const known = await host.call('backups.list', {});
  if (json) return printJson(known);
  printTable(
    ['made', 'size', 'file'],
    known.backups.map(({ madeAt, bytes, file }) => [showTime(madeAt), size(bytes), file]),
    'There are no backups yet.',
  );
  printLine(inWords(known));
}

function inWords({ isDaily, keep }: { isDaily: boolean; keep: number }): string {
  const when = isDaily ? 'One is made every day' : 'None is made by itself';
  return `${when}; the newest ${keep} are kept.`;
}

function size(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
