// `holdfast job ID [--follow]`
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostClient } from '#main/cli/host-client.ts';
import { describeJobStatus, JOB_HELP } from '#main/cli/runner/jobs.ts';
import { printJson, printLine, showTime } from '#main/cli/print.ts';
import { LogParser } from '#shared/runner/log-text.ts';

interface JobOptions extends DataOption {
  readonly follow?: boolean;
  readonly json?: boolean;
}

const POLL_MS = 150;

export function jobCommand(): Command {
  return new Command('job')
    .description('Show a runner job with its log')
    .argument('<job>', JOB_HELP)
    .option('--follow', 'Print the log until the job ends')
    .addOption(dataOption())
    .option('--json', 'Print as JSON, without the log')
    .action((jobId: string, options: JobOptions) =>
      withHost(options, async (host) => {
        if (options.json) return printJson(await host.call('jobs.get', { jobId }));
        const job = await host.call('jobs.get', { jobId });
        printLine(`${job.scriptKey} in ${job.repoKey}, queued ${showTime(job.createdAt)}`);
        await printLog(host, jobId, options.follow ?? false);
        printLine(describeJobStatus(await host.call('jobs.get', { jobId })));
      }),
    );
}

/** Prints the log up to now, or to its end if followed. */
export async function printLog(
  host: HostClient,
  jobId: string,
  isFollowed: boolean,
): Promise<void> {
  const parser = new LogParser();
  for (let offset = 0; ;) {
    const part = await host.call('jobs.log', { jobId, offset });
    for (const { text } of parser.push(part.data)) process.stdout.write(withoutControls(text));
    const isUpToDate = part.nextOffset === part.endOffset || part.nextOffset === offset;
    offset = part.nextOffset;
    if (part.isEnd || (isUpToDate && !isFollowed)) return;
    if (isUpToDate) await wait(POLL_MS);
  }
}

/** Removes terminal control sequences from a script's output; newlines and tabs stay. */
function withoutControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
