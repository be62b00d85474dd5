// `holdfast inputs [WORKFLOW]`: inputs with their status, newest first.
import { Command, Option } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { LIMIT_HELP, parseLimit } from '#main/cli/options/limit-option.ts';
import { printJson, printTable, showTime, withCosts } from '#main/cli/print.ts';
import type { InputView } from '#shared/api/inputs.ts';

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
    .description('List inputs and their status')
    .argument('[workflow]', WORKFLOW_HELP)
    .addOption(
      new Option('--state <state>', 'Filter by status').choices([...AUTOMATION_RUN_STATUSES]),
    )
    .option('--source <source>', 'Filter by source')
    .option('--text <text>', 'Filter by text in the title, type or id')
    .option('--limit <n>', LIMIT_HELP, parseLimit, 20)
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
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
      const heads = ['received', 'input', 'workflow', 'source', 'status', 'title'];
      const costs = inputs.map(({ cost }) => cost);
      printTable(...withCosts(heads, inputs.map(toRow), 'cost', costs), 'No inputs found.');
    });
}

function toRow({ receivedAt, id, workflowName, source, title, run }: InputView): string[] {
  return [showTime(receivedAt), id, workflowName, source, describeStatus(run), title];
}

/** The status with its qualifier: stopping, settled by a person, or the stage that failed. */
export function describeStatus({
  status,
  stopping,
  failureStage,
  settled,
}: InputView['run']): string {
  if (stopping) return `${status} (stopping)`;
  if (settled !== null) return `${status} (settled)`;
  return failureStage === null ? status : `${status} (${failureStage})`;
}
