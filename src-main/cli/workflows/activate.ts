// `holdfast activate WORKFLOW`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function activateCommand(): Command {
  return new Command('activate')
    .description('Activate the draft of a workflow')
    .argument('<workflow>', WORKFLOW_HELP)
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id } = await findWorkflow(host, text);
        const { version } = await host.call('workflows.activate', { workflowId: id });
        const { name } = await host.call('workflows.get', { workflowId: id });
        printLine(`Activated version ${version} of "${name}".`);
      }),
    );
}
