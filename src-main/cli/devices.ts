// `holdfast devices`, `holdfast rename NAME`, `holdfast unpair DEVICE`, `holdfast reach DEVICE ADDRESS`.
import { Command } from 'commander';
import { dataOption } from '#main/cli/data-option.ts';
import { DEVICE, findPairedDevice } from '#main/cli/find-device.ts';
import { WAITS_FOR_HOST, withHost, type DataOption } from '#main/cli/host-calls.ts';
import { printJson, printLine, printTable, shortId, showTime } from '#main/cli/print.ts';
import type { DeviceView } from '#shared/api/devices.ts';

export function devicesCommand(): Command {
  return new Command('devices')
    .description('show your devices, and whether they are linked with this one')
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { devices } = await withHost(options, (host) => host.call('devices.list', {}));
      if (options.json) return printJson({ devices });
      printTable(
        ['id', 'name', 'state', 'last seen'],
        devices.map((device) => [
          shortId(device.id),
          device.name,
          STATES[device.state],
          showTime(device.lastSeenAt),
        ]),
        'There are no devices.',
      );
      for (const { name, problem } of devices) {
        if (problem) printLine(`\n${name}: ${problem.message} (${problem.name})`);
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
