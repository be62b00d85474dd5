// `holdfast jobs`: runner jobs, newest first.
import { Command, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { LIMIT_HELP, parseLimit } from '#main/cli/options/limit-option.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable, showTime } from '#main/cli/print.ts';
import type { RunnerJobView } from '#shared/api/runner.ts';

import { RUNNER_JOB_STATUSES, type RunnerJobStatus } from '#shared/machines/runner-job.ts';

interface JobsOptions extends DataOption {
  readonly limit: number;
  readonly status?: RunnerJobStatus;
  readonly json?: boolean;
}

export const JOB_HELP = 'Id shown by "holdfast jobs"';

export const RUNNER_OFF =
  'The runner is off. Jobs stay queued until Holdfast is started with RUNNER_ENABLED=true.';

export function jobsCommand(): Command {
  return new Command('jobs')
    .description('List runner jobs')
    .addOption(new Option('--status <status>', 'Filter by status').choices(RUNNER_JOB_STATUSES))
    .option('--limit <n>', LIMIT_HELP, parseLimit, 20)
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: JobsOptions) => {
      const { limit, status } = options;
      const { jobs, isEnabled } = await withHost(options, async (host) => ({
        ...(await host.call('jobs.list', { limit, ...(status ? { status } : {}) })),
        isEnabled: (await host.call('runner.overview', {})).isEnabled,
      }));
      if (options.json) return printJson({ jobs });
      const heads = ['queued', 'job', 'script', 'repo', 'by', 'status'];
      printTable(heads, jobs.map(toRow), 'No jobs found.');
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
    describeJobStatus(job),
  ];
}

/** The status with its reason, signal or exit code. */
export function describeJobStatus({ status, reason, exitCode, exitSignal }: RunnerJobView): string {
  if (reason !== null) return `${status} (${reason})`;
  if (exitSignal !== null) return `${status} (${exitSignal})`;
  return exitCode === null || exitCode === 0 ? status : `${status} (exit ${exitCode})`;
}
