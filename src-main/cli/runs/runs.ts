// `holdfast runs [WORKFLOW]`: what handlers did lately, the newest first.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { parseLimit } from '#main/cli/options/limit-option.ts';
import { printJson, printTable, showTime } from '#main/cli/print.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';

interface RunsOptions extends DataOption {
  readonly limit: number;
  readonly json?: boolean;
}

export function runsCommand(): Command {
  return new Command('runs')
    .description('show the latest runs, of all workflows or of one')
    .argument('[workflow]', WORKFLOW)
    .option('--limit <n>', `how many, at most ${MAX_PAGE_SIZE}`, parseLimit, 20)
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (text: string | undefined, options: RunsOptions) => {
      const { runs } = await withHost(options, async (host) => {
        const filter =
          text === undefined ? {} : { workflowId: (await findWorkflow(host, text)).id };
        return host.call('handlerRuns.list', { ...filter, limit: options.limit });
      });
      if (options.json) printJson({ runs });
      else {
        printTable(
          ['started', 'run', 'workflow', 'handler', 'phase', 'effect', 'about'],
          runs.map(toRow),
          'There are no runs yet.',
        );
      }
    });
}

function toRow(run: HandlerRunView): string[] {
  const { startedAt, id, workflowName, handlerName, phase, reason, effect, title, error } = run;
  return [
    showTime(startedAt),
    id,
    workflowName,
    handlerName,
    reason === null ? phase : `${phase} (${reason})`,
    effect ?? '–',
    title ?? error?.split('\n', 1)[0]?.slice(0, 100) ?? '–',
  ];
}
