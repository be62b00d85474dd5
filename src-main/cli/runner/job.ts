// `holdfast job ID [--follow]`: one job and its log, as it grows where that is asked for.
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { withHost, type DataOption, type HostCalls } from '#main/cli/host-client.ts';
import { statusOf } from '#main/cli/runner/jobs.ts';
import { printJson, printLine, showTime } from '#main/cli/print.ts';
import { LogParser } from '#shared/runner/log-text.ts';

interface JobOptions extends DataOption {
  readonly follow?: boolean;
  readonly json?: boolean;
}

const ASK_AGAIN_MS = 150;

export function jobCommand(): Command {
  return new Command('job')
    .description('show one job of the runner, with its log')
    .argument('<job>', 'its id, as "holdfast jobs" shows it')
    .option('--follow', 'go on until it has ended')
    .addOption(dataOption())
    .option('--json', 'print it as JSON, without the log')
    .action((jobId: string, options: JobOptions) =>
      withHost(options, async (host) => {
        if (options.json) return printJson(await host.call('jobs.get', { jobId }));
        const job = await host.call('jobs.get', { jobId });
        printLine(`${job.scriptKey} in ${job.repoKey}, queued ${showTime(job.createdAt)}`);
        await printLog(host, jobId, options.follow ?? false);
        printLine(statusOf(await host.call('jobs.get', { jobId })));
      }),
    );
}

/** To its end, or as far as it has come. */
export async function printLog(host: HostCalls, jobId: string, isFollowed: boolean): Promise<void> {
  const parser = new LogParser();
  for (let offset = 0; ;) {
    const part = await host.call('jobs.log', { jobId, offset });
    // Nothing that a script prints may move the cursor of this terminal.
    for (const { text } of parser.push(part.data)) process.stdout.write(plain(text));
    const isAsFar = part.nextOffset === part.endOffset || part.nextOffset === offset;
    offset = part.nextOffset;
    if (part.isEnd || (isAsFar && !isFollowed)) return;
    if (isAsFar) await wait(ASK_AGAIN_MS);
  }
}

/** Lines and tabs stay; all else that a terminal would obey goes. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, '');
}
