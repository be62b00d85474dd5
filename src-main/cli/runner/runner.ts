// `holdfast runner scripts|run|cancel`
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { PENDING_UNTIL_HOST_RUNS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLog } from '#main/cli/runner/job.ts';
import { describeJobStatus, JOB_HELP, RUNNER_OFF } from '#main/cli/runner/jobs.ts';
import { printJson, printLine, printTable } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import { readNumber } from '#shared/runner/check-arg.ts';
import type { RunnerScriptView } from '#shared/api/runner.ts';

interface RunOptions extends DataOption {
  readonly repo?: string;
  readonly key?: string;
  readonly follow?: boolean;
}

export function runnerCommand(exitWith: (code: number) => void): Command {
  return new Command('runner')
    .description('Run registered scripts on this device')
    .addCommand(scriptsCommand())
    .addCommand(runCommand(exitWith))
    .addCommand(cancelCommand());
}

function scriptsCommand(): Command {
  return new Command('scripts')
    .description('List the scripts in the registry')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const overview = await withHost(options, (host) => host.call('runner.overview', {}));
      const { scripts, problems, registryPath, isEnabled, isValid } = overview;
      if (options.json) return printJson({ scripts, problems, registryPath, isEnabled });
      const none = `The registry ${registryPath} has no scripts.`;
      printTable(['script', 'repos', 'network', 'arguments', 'title'], scripts.map(toRow), none);
      for (const problem of problems) printLine(isValid ? problem : `${registryPath}: ${problem}`);
      if (!isEnabled) printLine(RUNNER_OFF);
    });
}

function toRow({ key, repos, network, args, title }: RunnerScriptView): string[] {
  const shown = args.map(({ name, spec }) => (spec.required ? name : `[${name}]`));
  return [key, repos.join(', '), network === 'none' ? 'no' : 'yes', shown.join(' ') || '–', title];
}

function runCommand(exitWith: (code: number) => void): Command {
  return new Command('run')
    .description('Queue a job')
    .argument('<script>', 'Key shown by "holdfast runner scripts"')
    .argument('[args...]', 'Arguments as NAME=VALUE')
    .option('--repo <key>', 'Repo to run in, if the script allows more than one')
    .option('--key <key>', 'Idempotency key: the same key and arguments give the same job')
    .option('--follow', 'Print the output until the job ends; exit 1 unless it succeeded')
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
        if (!host.isRunning) return printLine(PENDING_UNTIL_HOST_RUNS);
        if (!isEnabled) return printLine(RUNNER_OFF);
        if (!options.follow) return undefined;
        await printLog(host, job.id, true);
        const ended = await host.call('jobs.get', { jobId: job.id });
        printLine(describeJobStatus(ended));
        exitWith(ended.status === 'succeeded' ? 0 : 1);
      }),
    );
}

function cancelCommand(): Command {
  return new Command('cancel')
    .description('Cancel a job')
    .argument('<job>', JOB_HELP)
    .addOption(dataOption())
    .action((jobId: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { status } = await host.call('jobs.cancel', { jobId });
        printLine(status === 'canceled' ? 'Canceled.' : 'Canceling. The script is being stopped.');
      }),
    );
}

type Value = string | number | boolean;

/** Converts values to the types in the registry. The host validates them. */
function parseArgs(
  words: readonly string[],
  script: RunnerScriptView | undefined,
): { [name: string]: Value } {
  return Object.fromEntries(
    words.map((word): [string, Value] => {
      const at = word.indexOf('=');
      if (at < 1) {
        const message = `"${word}" is not an argument. Nothing was queued. Write NAME=VALUE.`;
        throw new ApiError({ type: 'invalid_input', message });
      }
      const [name, text] = [word.slice(0, at), word.slice(at + 1)];
      const type = script?.args.find((arg) => arg.name === name)?.spec.type;
      if (type === 'boolean' && (text === 'true' || text === 'false'))
        return [name, text === 'true'];
      const isNumber = type === 'integer' || type === 'number';
      return [name, isNumber ? readNumber(text) : text];
    }),
  );
}
