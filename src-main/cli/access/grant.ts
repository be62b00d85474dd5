// `holdfast grant WORKFLOW TOOL JSON`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { parseJsonArgument } from '#main/cli/options/json-argument.ts';
import { printLine } from '#main/cli/print.ts';
import type { Json } from '#shared/json.ts';

export function grantCommand(): Command {
  return new Command('grant')
    .description('Set what a workflow may do with a tool, replacing the earlier grant')
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<tool>', 'http, files, mail, feed, notify, ask or runner')
    .argument(
      '<json>',
      `Scope, as under "uses" in the workflow file: '{"hosts":["api.example.org"]}'`,
      parseJsonArgument,
    )
    .addOption(dataOption())
    .action((text: string, tool: string, scope: Json, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        await host.call('workflows.grant', { workflowId: id, tool, scope });
        printLine(`Granted ${tool} to "${name}".`);
      }),
    );
}
