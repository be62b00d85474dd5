// `holdfast runner …`: the scripts of this device, and jobs of them.
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { WAITS_FOR_HOST, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLog } from '#main/cli/runner/job.ts';
import { RUNNER_OFF, statusOf } from '#main/cli/runner/jobs.ts';
import { printJson, printLine, printTable } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { RunnerScriptView } from '#shared/api/runner.ts';

interface RunOptions extends DataOption {
  readonly repo?: string;
  readonly key?: string;
  readonly follow?: boolean;
}

export function runnerCommand(exitWith: (code: number) => void): Command {
  return new Command('runner')
    .description('run listed scripts on this device')
    .addCommand(scriptsCommand())
    .addCommand(runCommand(exitWith))
    .addCommand(cancelCommand());
}

function scriptsCommand(): Command {
  return new Command('scripts')
    .description('show the scripts that the registry lists')
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const overview = await withHost(options, (host) => host.call('runner.overview', {}));
      const { scripts, problems, registryPath, isEnabled } = overview;
      if (options.json) return printJson({ scripts, problems, registryPath, isEnabled });
      const none = `The registry ${registryPath} lists no script.`;
      printTable(['script', 'repos', 'arguments', 'what'], scripts.map(toRow), none);
      for (const problem of problems) printLine(`${registryPath}: ${problem}`);
      if (!isEnabled) printLine(RUNNER_OFF);
    });
}

function toRow({ key, repos, args, title }: RunnerScriptView): string[] {
  const shown = args.map(({ name, spec }) => (spec.required ? name : `[${name}]`));
  return [key, repos.join(', '), shown.join(' ') || '–', title];
}

function runCommand(exitWith: (code: number) => void): Command {
  return new Command('run')
    .description('queue a job of a script')
    .argument('<script>', 'its key, as "holdfast runner scripts" shows it')
    .argument('[args...]', 'as NAME=VALUE')
    .option('--repo <key>', 'where, if the script may run in several')
    .option('--key <key>', 'the same key and arguments give the same job')
    .option('--follow', 'print its output until it has ended; exit 1 unless it succeeded')
    .addOption(dataOption())
    .action((key: string, words: string[], options: RunOptions) =>
      withHost(options, async (host) => {
        const { scripts, isEnabled } = await host.call('runner.overview', {});
        const script = scripts.find((one) => one.key === key);
        const job = await host.call('jobs.start', {
          requestId: options.key ?? randomUUID(),
          scriptKey: key,
          repoKey: options.repo ?? script?.repos[0] ?? 'main',
          args: parseArgs(words, script),
        });
        printLine(`Job ${job.id}: ${job.status}.`);
        if (!host.isRunning) return printLine(WAITS_FOR_HOST);
        if (!isEnabled) return printLine(RUNNER_OFF);
        if (!options.follow) return undefined;
        await printLog(host, job.id, true);
        const ended = await host.call('jobs.get', { jobId: job.id });
        printLine(statusOf(ended));
        exitWith(ended.status === 'succeeded' ? 0 : 1);
      }),
    );
}

function cancelCommand(): Command {
  return new Command('cancel')
    .description('cancel a job')
    .argument('<job>', 'its id, as "holdfast jobs" shows it')
    .addOption(dataOption())
    .action((jobId: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { status } = await host.call('jobs.cancel', { jobId });
        printLine(status === 'canceled' ? 'Canceled.' : 'It is asked to end.');
      }),
    );
}

type Value = string | number | boolean;

/** What the registry takes for a number is one here; whether it fits, the host says. */
function parseArgs(
  words: readonly string[],
  script: RunnerScriptView | undefined,
): { [name: string]: Value } {
  return Object.fromEntries(
    words.map((word): [string, Value] => {
      const at = word.indexOf('=');
      if (at < 1) {
        const message = `"${word}" is no argument: write NAME=VALUE. Nothing was queued.`;
        throw new ApiError({ type: 'invalid_input', message });
      }
      const [name, text] = [word.slice(0, at), word.slice(at + 1)];
      const type = script?.args.find((arg) => arg.name === name)?.spec.type;
      if (type === 'boolean' && (text === 'true' || text === 'false'))
        return [name, text === 'true'];
      const isNumber = type === 'integer' || type === 'number';
      return [
        name,
        isNumber && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text,
      ];
    }),
  );
}
