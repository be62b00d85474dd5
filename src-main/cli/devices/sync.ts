// `holdfast sync --folder DIR`: exchanges changes through a folder that other devices see, too.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { oneLine, printJson, printLine } from '#main/cli/print.ts';
import { untilStopped } from '#main/cli/stop-signal.ts';
import type { CallOutput } from '#shared/api/contract.ts';

interface SyncOptions extends DataOption {
  readonly folder: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

type Report = CallOutput<'sync.folder'>;

const WATCH_MS = 5000;

export function syncCommand(): Command {
  return new Command('sync')
    .description('exchange changes with your other devices through a shared folder')
    .requiredOption('--folder <dir>', 'a folder on a shared drive or a stick; it must be there')
    .option('--watch', 'go on until stopped')
    .option('--json', 'print the result as JSON')
    .addOption(dataOption())
    .action(async (options: SyncOptions) => {
      await withHost(options, (host) =>
        options.watch ? watch(host, options) : once(host, options),
      );
    });
}

async function once(host: HostCalls, options: SyncOptions): Promise<void> {
  tell(await syncNow(host, options), options);
}

async function watch(host: HostCalls, options: SyncOptions): Promise<void> {
  const stopped = untilStopped().then(() => 'stopped' as const);
  let said = '';
  for (;;) {
    const report = await syncNow(host, options);
    const problems = JSON.stringify(report.problems);
    if (report.read + report.written > 0 || problems !== said) tell(report, options);
    said = problems;
    const timer = new AbortController();
    const next = await Promise.race([stopped, sleep(WATCH_MS, 'again', timer)]);
    timer.abort();
    if (next === 'stopped') return;
  }
}

function syncNow(host: HostCalls, { folder }: SyncOptions): Promise<Report> {
  return host.call('sync.folder', { dir: resolve(folder) });
}

function tell(report: Report, { json }: SyncOptions): void {
  if (json) return printJson(report);
  const { read, written, devices, problems } = report;
  printLine(
    `${read} changes read, ${written} written; other devices in this folder: ${devices.length}.`,
  );
  for (const { device, message } of problems) printLine(`${oneLine(device)}: ${oneLine(message)}`);
}
