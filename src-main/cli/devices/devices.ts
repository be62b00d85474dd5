// `holdfast devices`, `holdfast rename NAME`, `holdfast unpair DEVICE` and
// `holdfast reach DEVICE ADDRESS`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { DEVICE_HELP } from '#main/cli/find/device-labels.ts';
import {
  PENDING_UNTIL_HOST_RUNS,
  requireRunningHost,
  withHost,
  type DataOption,
} from '#main/cli/host-client.ts';
import { oneLine, printJson, printLine, printTable, shortId, showTime } from '#main/cli/print.ts';
import type { DeviceView } from '#shared/api/devices.ts';
import { LINK_ENDS } from '#shared/sync/link-ends.ts';

export function devicesCommand(): Command {
  return new Command('devices')
    .description('List your devices and their sync status')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { devices } = await withHost(options, (host) => host.call('devices.list', {}));
      if (options.json) return printJson({ devices });
      printTable(
        ['id', 'name', 'state', 'sync', 'last synced', 'last seen'],
        devices.map((device) => [
          shortId(device.id),
          device.name,
          STATES[device.state],
          showSync(device),
          showTime(device.syncedAt),
          showTime(device.lastSeenAt),
        ]),
        'No devices.',
      );
      for (const device of devices) {
        const problem = syncProblem(device);
        if (problem) {
          printLine(`\n${oneLine(device.name)}: ${oneLine(problem.message)} (${problem.name})`);
        }
      }
      if (devices.length === 1) printLine('\nPair another device with "holdfast pair".');
    });
}

const STATES: { readonly [state in DeviceView['state']]: string } = {
  this: 'this device',
  linked: 'linked',
  away: 'paired, offline',
  unpaired: 'unpaired',
  known: 'paired with another of your devices',
};

function showSync({ sync }: DeviceView): string {
  switch (sync?.state) {
    case 'greeting':
      return 'connecting';
    case 'catching-up':
      return `catching up: ${showProgress('in', sync.incoming)}, ${showProgress('out', sync.outgoing)}`;
    case 'live':
      return 'live';
    case 'update-needed':
      return sync.who === 'us' ? 'update this device' : 'update that device';
    default:
      return '–';
  }
}

function showProgress(direction: string, progress: { done: number; total: number } | null): string {
  return progress ? `${direction} ${progress.done} of ${progress.total}` : `${direction} –`;
}

/** Why two devices don't sync. A sync session's own error is more specific than a lost link. */
function syncProblem({
  problem,
  sync,
}: DeviceView): { readonly name: string; readonly message: string } | null {
  if (sync?.state === 'update-needed') return { name: sync.state, message: sync.message };
  if (sync?.state === 'ended' && !Object.hasOwn(LINK_ENDS, sync.name)) return sync;
  return problem;
}

export function renameCommand(): Command {
  return new Command('rename')
    .description('Rename this device')
    .argument('<name>', 'Name shown on your other devices')
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      await withHost(options, (host) => host.call('devices.rename', { name }));
      printLine(`Renamed this device to "${name}".`);
    });
}

export function unpairCommand(): Command {
  return new Command('unpair')
    .description('Unpair a device; shared data stays on both')
    .argument('<device>', DEVICE_HELP)
    .addOption(dataOption())
    .action((deviceId: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { name, wasLinked } = await host.call('devices.unpair', { deviceId });
        printLine(
          wasLinked
            ? `Unpaired "${oneLine(name)}" and notified it.`
            : `Unpaired "${oneLine(name)}". It is offline and gets notified when it next connects.`,
        );
        printLine('Shared data stays on both devices. Its pairings with other devices remain.');
        if (!host.isRunning) printLine(PENDING_UNTIL_HOST_RUNS);
      }),
    );
}

export function reachCommand(): Command {
  return new Command('reach')
    .description('Try to connect to a paired device at a known address')
    .argument('<device>', DEVICE_HELP)
    .argument('<address>', 'Address and port, like 192.168.1.20:47470')
    .addOption(dataOption())
    .action((deviceId: string, address: string, options: DataOption) =>
      withHost(options, async (host) => {
        requireRunningHost(host, 'Nothing was changed.');
        const { name, wasLinked } = await host.call('devices.reach', { deviceId, address });
        printLine(
          wasLinked
            ? `Already connected to "${oneLine(name)}". The address was not tried.`
            : `Connected to "${oneLine(name)}".`,
        );
      }),
    );
}
