// `holdfast runs [WORKFLOW]`: runs, newest first.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { LIMIT_HELP, parseLimit } from '#main/cli/options/limit-option.ts';
import { excerpt, printJson, printTable, showTime, withCosts } from '#main/cli/print.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { EFFECT_WORDS } from '#shared/decision-words.ts';

interface RunsOptions extends DataOption {
  readonly limit: number;
  readonly json?: boolean;
}

export function runsCommand(): Command {
  return new Command('runs')
    .description('List runs')
    .argument('[workflow]', WORKFLOW_HELP)
    .option('--limit <n>', LIMIT_HELP, parseLimit, 20)
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (text: string | undefined, options: RunsOptions) => {
      const { runs } = await withHost(options, async (host) => {
        const filter =
          text === undefined ? {} : { workflowId: (await findWorkflow(host, text)).id };
        return host.call('handlerRuns.list', { ...filter, limit: options.limit });
      });
      if (options.json) printJson({ runs });
      else {
        const heads = ['started', 'run', 'workflow', 'handler', 'phase', 'effect', 'title'];
        const costs = runs.map(({ cost }) => cost);
        printTable(...withCosts(heads, runs.map(toRow), 'cost', costs), 'No runs yet.');
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
    effect === null ? '–' : EFFECT_WORDS[effect],
    title ?? (error === null ? '–' : excerpt(error, 100)),
  ];
}
