// `holdfast backup`: makes and lists backups, and sets the daily schedule and retention.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
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
    .description('Back up the database and verify the copy; a running host is not interrupted')
    .option('--to <dir>', 'Folder for this backup; Holdfast never deletes it there')
    .option('--list', 'List the backups in the data folder')
    .option('--keep <n>', 'Number of newest backups to keep in the data folder', parseCount)
    .option('--daily', 'Make a backup every day')
    .option('--no-daily', 'Stop daily backups')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((options: BackupOptions) => withHost(options, (host) => backUp(host, options)));
}

async function backUp(host: HostClient, options: BackupOptions): Promise<void> {
  if (options.keep !== undefined || options.daily !== undefined) return configure(host, options);
  if (options.list) return list(host, options);
  const to = options.to === undefined ? {} : { to: resolve(options.to) };
  const backup = await host.call('backups.make', to);
  if (options.json) printJson(backup);
  else printLine(`Saved and verified ${backup.file} (${formatSize(backup.bytes)}).`);
}

async function configure(host: HostClient, { keep, daily, json }: BackupOptions): Promise<void> {
  const settings = await host.call('backups.choose', {
    ...(keep === undefined ? {} : { keep }),
    ...(daily === undefined ? {} : { isDaily: daily }),
  });
  if (json) printJson(settings);
  else printLine(describeSettings(settings));
}

async function list(host: HostClient, { json }: BackupOptions): Promise<void> {
  const listed = await host.call('backups.list', {});
  if (json) return printJson(listed);
  printTable(
    ['made', 'size', 'file'],
    listed.backups.map(({ madeAt, bytes, file }) => [showTime(madeAt), formatSize(bytes), file]),
    'No backups yet.',
  );
  printLine(describeSettings(listed));
}

function describeSettings({ isDaily, keep }: { isDaily: boolean; keep: number }): string {
  return `Daily backups: ${isDaily ? 'on' : 'off'}. Backups to keep: ${keep}.`;
}

function formatSize(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
