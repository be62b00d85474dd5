// `holdfast pause WORKFLOW` and `holdfast resume WORKFLOW`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { waitsForOwner } from '#main/cli/find/waits-for-owner.ts';
import { PENDING_UNTIL_HOST_RUNS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function pauseCommand(): Command {
  return new Command('pause')
    .description('Pause a workflow before its next effect')
    .argument('<workflow>', WORKFLOW_HELP)
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { waiting } = await host.call('workflows.pause', { workflowId: id });
        if (waiting) return printLine(await waitsForOwner(host, id));
        const { isBusy } = await host.call('workflows.get', { workflowId: id });
        printLine(isBusy ? `Pausing "${name}" when its current phase ends.` : `Paused "${name}".`);
      }),
    );
}

export function resumeCommand(): Command {
  return new Command('resume')
    .description('Resume a paused workflow')
    .argument('<workflow>', WORKFLOW_HELP)
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { waiting } = await host.call('workflows.resume', { workflowId: id });
        if (waiting) return printLine(await waitsForOwner(host, id));
        const { openQuestions } = await host.call('workflows.get', { workflowId: id });
        printLine(
          openQuestions > 0
            ? `Resumed "${name}". It needs you: see "holdfast inbox".`
            : `Resumed "${name}".`,
        );
        if (!host.isRunning) printLine(PENDING_UNTIL_HOST_RUNS);
      }),
    );
}
