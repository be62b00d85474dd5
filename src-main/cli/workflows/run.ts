// `holdfast run WORKFLOW PRODUCER`
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';

export function runCommand(): Command {
  return new Command('run')
    .description('Run a producer now; its schedule is unchanged')
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<producer>', 'Producer of the workflow')
    .addOption(dataOption())
    .action((text: string, producer: string, options: DataOption) =>
      withHost(options, async (host) => {
        const workflow = await findWorkflow(host, text);
        if (!host.isRunning) throw noHost();
        assertRunnable(workflow, producer);
        await host.call('workflows.runNow', {
          workflowId: workflow.id,
          producer,
          requestId: randomUUID(),
        });
        printLine(`Running "${producer}" of "${workflow.name}". See "holdfast runs".`);
      }),
    );
}

function assertRunnable({ name, status, producers }: WorkflowView, producer: string): void {
  if (!producers.some((known) => known.name === producer)) {
    const known = producers.map((one) => one.name).join(', ') || 'none';
    throw new ApiError({
      type: 'not_found',
      message: `"${name}" has no producer "${producer}". Nothing was run. Producers: ${known}.`,
    });
  }
  if (status === 'active') return;
  throw new ApiError({
    type: 'conflict',
    message: `"${name}" is paused. Nothing was run. To resume it, run: holdfast resume ${name}`,
  });
}

function noHost(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'No host is running on this data folder. Nothing was run. Start one with "holdfast serve", then try again.',
  });
}
