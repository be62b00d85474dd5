// `holdfast activate WORKFLOW`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { waitsForOwner } from '#main/cli/find/waits-for-owner.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';
import { describeLeftBehind } from '#shared/left-behind.ts';

export function activateCommand(): Command {
  return new Command('activate')
    .description('Activate the draft of a workflow')
    .argument('<workflow>', WORKFLOW_HELP)
    .option('--yes', 'Activate it even if it leaves events or runs behind')
    .addOption(dataOption())
    .action((text: string, options: DataOption & { yes?: boolean }) =>
      withHost(options, async (host) => {
        const { id } = await findWorkflow(host, text);
        const input = { workflowId: id, leaveBehind: options.yes === true };
        const { version, waiting } = await host
          .call('workflows.activate', input)
          .catch(explainConfirmation);
        if (waiting) return printLine(await waitsForOwner(host, id));
        const { name, status, leftBehind } = await host.call('workflows.get', { workflowId: id });
        printLine(`Activated version ${version} of "${name}".`);
        for (const left of leftBehind) printLine(describeLeftBehind(left, 'the active version'));
        if (status === 'paused') {
          printLine(`It is still paused. To resume it, run: holdfast resume ${name}`);
        }
      }),
    );
}

function explainConfirmation(error: unknown): never {
  if (!(error instanceof ApiError) || error.reason !== 'leaves_behind') throw error;
  const message = `${error.message.replace(/ Confirm to activate it\.$/, '')} To activate it, add --yes.`;
  throw new ApiError({ type: error.type, message }, { cause: error });
}
