// `holdfast grants` and `holdfast revoke WORKFLOW TOOL`: what workflows may use here.
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable } from '#main/cli/print.ts';

export function grantsCommand(): Command {
  return new Command('grants')
    .description('show what workflows may use on this device')
    .addOption(dataOption())
    .option('--json', 'print them as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { workflows } = await withHost(options, (host) => host.call('grants.list', {}));
      if (options.json) return printJson({ workflows });
      printTable(
        ['workflow', 'tool', 'what'],
        workflows.flatMap(({ name, grants, missing }) => [
          ...grants.map(({ tool, description }) => [name, tool, description]),
          ...missing.map(({ tool, description }) => [name, tool, `not granted: ${description}`]),
        ]),
        'Nothing is granted.',
      );
    });
}

export function revokeCommand(): Command {
  return new Command('revoke')
    .description('take back what a workflow may do with a tool')
    .argument('<workflow>', WORKFLOW)
    .argument('<tool>', 'as "holdfast grants" shows it')
    .addOption(dataOption())
    .action((text: string, tool: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { wasGranted } = await host.call('grants.revoke', { workflowId: id, tool });
        printLine(
          wasGranted
            ? `"${name}" may not use ${tool} any more: its next call is refused and waits for you.`
            : `"${name}" was not granted ${tool}. Nothing was changed.`,
        );
      }),
    );
}
