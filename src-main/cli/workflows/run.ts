// `holdfast run WORKFLOW PRODUCER`
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { waitsForOwner } from '#main/cli/find/waits-for-owner.ts';
import { requireRunningHost, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

export function runCommand(): Command {
  return new Command('run')
    .description('Run a producer now; its schedule is unchanged')
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<producer>', 'Producer of the workflow')
    .addOption(dataOption())
    .action((text: string, producer: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id: workflowId, name, status, owner } = await findWorkflow(host, text);
        if (owner.isThisDevice) requireRunningHost(host, 'Nothing was run.');
        if (status === 'paused') throw isPaused(name);
        const requestId = randomUUID();
        const { waiting } = await host.call('workflows.runNow', {
          workflowId,
          producer,
          requestId,
        });
        printLine(
          waiting
            ? await waitsForOwner(host, workflowId)
            : `Running "${producer}" of "${name}". See "holdfast runs".`,
        );
      }),
    );
}

function isPaused(name: string): ApiError {
  return new ApiError({
    type: 'conflict',
    message: `"${name}" is paused. Nothing was run. To resume it, run: holdfast resume ${name}`,
  });
}
