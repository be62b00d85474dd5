// `holdfast devices`, `holdfast rename NAME`, `holdfast unpair DEVICE`, `holdfast reach DEVICE ADDRESS`.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { DEVICE, findPairedDevice } from '#main/cli/find/find-device.ts';
import { WAITS_FOR_HOST, withHost, type DataOption } from '#main/cli/host-client.ts';
import { oneLine, printJson, printLine, printTable, shortId, showTime } from '#main/cli/print.ts';
import type { DeviceView } from '#shared/api/devices.ts';
import { LINK_ENDS } from '#shared/sync/link-ends.ts';

export function devicesCommand(): Command {
  return new Command('devices')
    .description('show your devices, and whether they are linked with this one')
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { devices } = await withHost(options, (host) => host.call('devices.list', {}));
      if (options.json) return printJson({ devices });
      printTable(
        ['id', 'name', 'state', 'sync', 'last in sync', 'last seen'],
        devices.map((device) => [
          shortId(device.id),
          device.name,
          STATES[device.state],
          showSync(device),
          showTime(device.syncedAt),
          showTime(device.lastSeenAt),
        ]),
        'There are no devices.',
      );
      for (const device of devices) {
        const problem = problemOf(device);
        if (problem) {
          printLine(`\n${oneLine(device.name)}: ${oneLine(problem.message)} (${problem.name})`);
        }
      }
      if (devices.length === 1) printLine('\nPair another one with "holdfast pair".');
    });
}

const STATES: { readonly [state in DeviceView['state']]: string } = {
  this: 'this device',
  linked: 'linked',
  away: 'paired, away',
  unpaired: 'unpaired',
  known: 'paired with another of yours',
};

function showSync({ sync }: DeviceView): string {
  switch (sync?.state) {
    case 'greeting':
      return 'greeting';
    case 'catching-up':
      return `catching up: ${figures('in', sync.incoming)}, ${figures('out', sync.outgoing)}`;
    case 'live':
      return 'live';
    case 'update-needed':
      return sync.who === 'us' ? 'update this device' : 'update that device';
    default:
      return '–';
  }
}

function figures(way: string, progress: { done: number; total: number } | null): string {
  return progress ? `${way} ${progress.done} of ${progress.total}` : `${way} –`;
}

/** Why they do not sync: what a session said says more than that there is no link since. */
function problemOf({
  problem,
  sync,
}: DeviceView): { readonly name: string; readonly message: string } | null {
  if (sync?.state === 'update-needed') return { name: sync.state, message: sync.message };
  if (sync?.state === 'ended' && !Object.hasOwn(LINK_ENDS, sync.name)) return sync;
  return problem;
}

export function renameCommand(): Command {
  return new Command('rename')
    .description('give this device another name')
    .argument('<name>', 'what your other devices shall call it')
    .addOption(dataOption())
    .action(async (name: string, options: DataOption) => {
      await withHost(options, (host) => host.call('devices.rename', { name }));
      printLine(`This device is called "${name}" now.`);
    });
}

export function unpairCommand(): Command {
  return new Command('unpair')
    .description('end the pairing with a device; what was shared stays on both')
    .argument('<device>', DEVICE)
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findPairedDevice(host, text);
        const { wasLinked } = await host.call('devices.unpair', { deviceId: id });
        printLine(
          wasLinked
            ? `"${name}" is unpaired, and has been told.`
            : `"${name}" is unpaired. It is away now, and learns it when it next comes.`,
        );
        printLine('What was shared stays on both. Other devices that it is paired with stay so.');
        if (!host.isRunning) printLine(WAITS_FOR_HOST);
      }),
    );
}

export function reachCommand(): Command {
  return new Command('reach')
    .description('try to reach a paired device at an address that you know')
    .argument('<device>', DEVICE)
    .argument('<address>', 'like 192.168.1.20:47470')
    .addOption(dataOption())
    .action((text: string, address: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findPairedDevice(host, text);
        await host.call('devices.reach', { deviceId: id, address });
        printLine(
          host.isRunning
            ? `"${name}" is tried at ${address}. See "holdfast devices".`
            : WAITS_FOR_HOST,
        );
      }),
    );
}
