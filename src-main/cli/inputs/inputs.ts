// `holdfast inputs [WORKFLOW]`: what came in lately, and what became of it. The newest first.
import { Command, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { parseLimit } from '#main/cli/options/limit-option.ts';
import { printJson, printTable, showTime } from '#main/cli/print.ts';
import type { InputView } from '#shared/api/inputs.ts';
import { MAX_PAGE_SIZE } from '#shared/limits.ts';
import {
  AUTOMATION_RUN_STATUSES,
  type AutomationRunStatus,
} from '#shared/machines/automation-run.ts';

interface InputsOptions extends DataOption {
  readonly limit: number;
  readonly state?: AutomationRunStatus;
  readonly source?: string;
  readonly text?: string;
  readonly json?: boolean;
}

export function inputsCommand(): Command {
  return new Command('inputs')
    .description('show what came in, and what became of it')
    .argument('[workflow]', WORKFLOW)
    .addOption(
      new Option('--state <state>', 'only what is so').choices([...AUTOMATION_RUN_STATUSES]),
    )
    .option('--source <source>', 'only what came from there')
    .option('--text <text>', 'only what has this in its title, type or id')
    .option('--limit <n>', `how many, at most ${MAX_PAGE_SIZE}`, parseLimit, 20)
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (workflow: string | undefined, options: InputsOptions) => {
      const { inputs } = await withHost(options, async (host) => {
        const { limit, state, source, text } = options;
        return host.call('inputs.list', {
          limit,
          ...(workflow === undefined
            ? {}
            : { workflowId: (await findWorkflow(host, workflow)).id }),
          ...(state === undefined ? {} : { status: state }),
          ...(source === undefined ? {} : { source }),
          ...(text === undefined ? {} : { text }),
        });
      });
      if (options.json) return printJson({ inputs });
      const heads = ['came in', 'input', 'workflow', 'source', 'state', 'about'];
      printTable(heads, inputs.map(toRow), 'Nothing came in yet.');
    });
}

function toRow({ receivedAt, id, workflowName, source, title, run }: InputView): string[] {
  return [showTime(receivedAt), id, workflowName, source, stateOf(run), title];
}

/** The state in one cell, with what a person should know of it. */
export function stateOf({ status, stopping, failureStage, settled }: InputView['run']): string {
  if (stopping) return `${status} (stopping)`;
  if (settled !== null) return `${status} (by hand)`;
  return failureStage === null ? status : `${status} (${failureStage})`;
}
