// `holdfast jobs`: what the runner did lately, the newest first.
import { Command, InvalidArgumentError, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import type { RunnerJobView } from '#shared/api/runner.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import { RUNNER_JOB_STATUSES, type RunnerJobStatus } from '#shared/machines/runner-job.ts';

interface JobsOptions extends DataOption {
  readonly limit: number;
  readonly status?: RunnerJobStatus;
  readonly json?: boolean;
}

export const RUNNER_OFF =
  'The runner is switched off: jobs wait until Holdfast is started with RUNNER_ENABLED=true.';

export function jobsCommand(): Command {
  return new Command('jobs')
    .description('show the latest jobs of the runner')
    .addOption(new Option('--status <status>', 'only these').choices(RUNNER_JOB_STATUSES))
    .option('--limit <n>', `how many, at most ${MAX_PAGE_SIZE}`, parseLimit, 20)
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: JobsOptions) => {
      const { limit, status } = options;
      const { jobs, isEnabled } = await withHost(options, async (host) => ({
        ...(await host.call('jobs.list', { limit, ...(status ? { status } : {}) })),
        isEnabled: (await host.call('runner.overview', {})).isEnabled,
      }));
      if (options.json) return printJson({ jobs });
      const heads = ['queued', 'job', 'script', 'repo', 'by', 'status'];
      printTable(heads, jobs.map(toRow), 'There are no jobs yet.');
      if (!isEnabled && jobs.some((job) => job.status === 'queued')) printLine(RUNNER_OFF);
    });
}

function toRow(job: RunnerJobView): string[] {
  return [
    showTime(job.createdAt),
    job.id,
    job.scriptKey,
    job.repoKey,
    job.requestedBy,
    statusOf(job),
  ];
}

/** With what a person asks next: why, or with which code. */
export function statusOf({ status, reason, exitCode, exitSignal }: RunnerJobView): string {
  if (reason !== null) return `${status} (${reason})`;
  if (exitSignal !== null) return `${status} (${exitSignal})`;
  return exitCode === null || exitCode === 0 ? status : `${status} (exit ${exitCode})`;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_PAGE_SIZE) return limit;
  throw new InvalidArgumentError(`A limit is a whole number from 1 to ${MAX_PAGE_SIZE}.`);
}
