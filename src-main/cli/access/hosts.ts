// `holdfast hosts`, `holdfast hosts limit HOST`
import { Argument, Command, InvalidArgumentError } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printTable, showTime } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { OutsideHostView } from '#shared/api/outside-hosts.ts';

interface LimitOptions extends DataOption {
  readonly perSecond?: number;
  readonly concurrent?: number;
  readonly none?: boolean;
  readonly json?: boolean;
}

export function hostsCommand(): Command {
  return new Command('hosts')
    .description('List outside hosts with their limits and waits, or set a limit')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((options: DataOption & { json?: boolean }) =>
      withHost(options, async (host) => {
        const { hosts } = await host.call('hosts.list', {});
        print(hosts, options.json);
      }),
    )
    .addCommand(limitCommand())
    .addCommand(retryCommand());
}

function retryCommand(): Command {
  return new Command('retry')
    .description('Retry unreachable hosts now')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((given: DataOption & { json?: boolean }, command: Command) => {
      const options: typeof given = { ...command.optsWithGlobals(), ...given };
      return withHost(options, async (host) => {
        const { hosts } = await host.call('hosts.retry', {});
        print(hosts, options.json);
      });
    });
}

function limitCommand(): Command {
  return new Command('limit')
    .description('Limit the calls of all workflows on this device to one outside host')
    .addArgument(new Argument('<host>', 'Host, like api.example.org or 127.0.0.1:8080'))
    .option(
      '--per-second <number>',
      'Calls that start per second; 0.1 is one in ten seconds',
      number,
    )
    .option('--concurrent <number>', 'Calls that run at the same time', number)
    .option('--none', 'Remove the limit')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action((name: string, given: LimitOptions, command: Command) => {
      const options: LimitOptions = { ...command.optsWithGlobals(), ...given };
      const { perSecond, concurrent, none = false } = options;
      if (none === (perSecond !== undefined || concurrent !== undefined)) throw limitMissing();
      const limit = {
        ...(perSecond !== undefined && { perSecond }),
        ...(concurrent !== undefined && { concurrent }),
      };
      return withHost(options, async (host) => {
        const input = { host: name.toLowerCase(), limit: none ? null : limit };
        const { hosts } = await host.call('hosts.setLimit', input);
        print(hosts, options.json);
      });
    });
}

function print(hosts: readonly OutsideHostView[], isJson = false): void {
  if (isJson) return printJson({ hosts });
  printTable(
    [
      'host',
      'per second',
      'concurrent',
      'set here',
      'active',
      'waiting',
      'asked to wait until',
      'down since',
    ],
    hosts.map(({ host, limit, own, heldUntil, downSince, active, waiting }) => [
      host,
      String(limit.perSecond ?? '–'),
      String(limit.concurrent ?? '–'),
      own === null ? 'no' : 'yes',
      String(active),
      String(waiting),
      showTime(heldUntil),
      showTime(downSince),
    ]),
    'No limits, and no calls wait for a host.',
  );
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a number above 0.');
}

function limitMissing(): ApiError {
  return new ApiError({
    type: 'invalid_input',
    message:
      'Say what to set: --per-second and --concurrent, or --none to remove the limit. Nothing was changed.',
  });
}
