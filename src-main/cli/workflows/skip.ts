// `holdfast skip WORKFLOW TOPIC`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { waitsForOwner } from '#main/cli/find/waits-for-owner.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function skipCommand(): Command {
  return new Command('skip')
    .description('Skip the events in a topic that the active version no longer has')
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<topic>', 'The topic')
    .addOption(dataOption())
    .action((text: string, topic: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { waiting } = await host.call('workflows.skipLeftBehind', { workflowId: id, topic });
        printLine(
          waiting
            ? await waitsForOwner(host, id)
            : `Skipped the events in "${topic}" of "${name}".`,
        );
      }),
    );
}
