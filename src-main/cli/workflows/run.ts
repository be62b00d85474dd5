// `holdfast run WORKFLOW PRODUCER`: a producer now; its schedule stays as it is.
import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';

export function runCommand(): Command {
  return new Command('run')
    .description('run a producer now, whatever its schedule says')
    .argument('<workflow>', WORKFLOW)
    .argument('<producer>', 'which of its producers')
    .addOption(dataOption())
    .action((text: string, producer: string, options: DataOption) =>
      withHost(options, async (host) => {
        const workflow = await findWorkflow(host, text);
        if (!host.isRunning) throw noHost();
        refuseUnless(workflow, producer);
        await host.call('workflows.runNow', {
          workflowId: workflow.id,
          producer,
          requestId: randomUUID(),
        });
        printLine(`"${producer}" of "${workflow.name}" runs now. See it with "holdfast runs".`);
      }),
    );
}

function refuseUnless({ name, status, producers }: WorkflowView, producer: string): void {
  if (!producers.some((known) => known.name === producer)) {
    const known = producers.map((one) => one.name).join(', ') || 'none';
    throw new ApiError({
      type: 'not_found',
      message: `"${name}" has no producer "${producer}". There is: ${known}. Nothing was run.`,
    });
  }
  if (status === 'active') return;
  throw new ApiError({
    type: 'conflict',
    message: `"${name}" is paused. Nothing was run. Let it go on with: holdfast resume ${name}`,
  });
}

function noHost(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'No host runs on this folder, so nothing can be run. Start one with "holdfast serve", then try again.',
  });
}
