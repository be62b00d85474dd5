// `holdfast pause WORKFLOW` and `holdfast resume WORKFLOW`.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import {
  WAITS_FOR_HOST,
  WAITS_FOR_OWNER,
  withHost,
  type DataOption,
} from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';

export function pauseCommand(): Command {
  return new Command('pause')
    .description('let a workflow stop before its next effect')
    .argument('<workflow>', WORKFLOW)
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { waiting } = await host.call('workflows.pause', { workflowId: id });
        if (waiting) return printLine(WAITS_FOR_OWNER);
        const { isBusy } = await host.call('workflows.get', { workflowId: id });
        printLine(
          isBusy
            ? `"${name}" is pausing: what it does now comes to a safe place first.`
            : `"${name}" is paused.`,
        );
      }),
    );
}

export function resumeCommand(): Command {
  return new Command('resume')
    .description('let a paused workflow go on')
    .argument('<workflow>', WORKFLOW)
    .addOption(dataOption())
    .action((text: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { waiting } = await host.call('workflows.resume', { workflowId: id });
        if (waiting) return printLine(WAITS_FOR_OWNER);
        const { openQuestions } = await host.call('workflows.get', { workflowId: id });
        printLine(
          openQuestions > 0
            ? `"${name}" is resumed, but waits for you: see "holdfast inbox".`
            : `"${name}" is resumed.`,
        );
        if (!host.isRunning) printLine(WAITS_FOR_HOST);
      }),
    );
}
