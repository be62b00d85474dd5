// `holdfast sync --folder DIR`
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { loadDeviceLabels, type DeviceLabels } from '#main/cli/find/device-labels.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { oneLine, printJson, printLine } from '#main/cli/print.ts';
import { waitForStopSignal } from '#main/cli/stop-signal.ts';
import type { CallOutput } from '#shared/api/contract.ts';

interface SyncOptions extends DataOption {
  readonly folder: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

type Report = CallOutput<'sync.folder'>;

const WATCH_MS = 5000;

export function syncCommand(exitWith: (code: number) => void): Command {
  return new Command('sync')
    .description('Sync with your other devices through a shared folder')
    .requiredOption('--folder <dir>', 'Existing folder on a shared drive or USB stick')
    .option('--watch', 'Keep syncing until stopped')
    .option('--json', 'Print as JSON')
    .addOption(dataOption())
    .action(async (options: SyncOptions) => {
      await withHost(options, async (host) => {
        const labelOf = await loadDeviceLabels(host);
        if (options.watch) return watch(host, options, labelOf);
        const report = await syncNow(host, options);
        printReport(report, options, labelOf);
        if (report.problems.length > 0) exitWith(1);
      });
    });
}

async function watch(host: HostClient, options: SyncOptions, labelOf: DeviceLabels): Promise<void> {
  const stopped = waitForStopSignal().then(() => 'stopped' as const);
  let lastProblems = '';
  for (;;) {
    const report = await syncNow(host, options);
    const problems = JSON.stringify(report.problems);
    if (report.read + report.written > 0 || problems !== lastProblems) {
      printReport(report, options, labelOf);
    }
    lastProblems = problems;
    const timer = new AbortController();
    const next = await Promise.race([stopped, sleep(WATCH_MS, 'again', timer)]);
    timer.abort();
    if (next === 'stopped') return;
  }
}

function syncNow(host: HostClient, { folder }: SyncOptions): Promise<Report> {
  return host.call('sync.folder', { dir: resolve(folder) });
}

function printReport(report: Report, { json }: SyncOptions, labelOf: DeviceLabels): void {
  if (json) return printJson(report);
  const { read, written, devices, problems } = report;
  printLine(
    `Changes read: ${read}, written: ${written}. Other devices in this folder: ${devices.length}.`,
  );
  for (const { device, message } of problems) {
    process.stderr.write(`holdfast: ${labelOf(device)}: ${oneLine(message)}\n`);
  }
}
