// `holdfast grants` and `holdfast revoke WORKFLOW TOOL`
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { findWorkflow, WORKFLOW_HELP } from '#main/cli/find/find-workflow.ts';
import { withHost, type DataOption } from '#main/cli/host-client.ts';
import { printJson, printLine, printTable } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

export function grantsCommand(): Command {
  return new Command('grants')
    .description('List what workflows may use on this device')
    .addOption(dataOption())
    .option('--json', 'Print as JSON')
    .action(async (options: DataOption & { json?: boolean }) => {
      const { workflows } = await withHost(options, (host) => host.call('grants.list', {}));
      if (options.json) return printJson({ workflows });
      printTable(
        ['workflow', 'tool', 'scope'],
        workflows.flatMap(({ name, grants, missing }) => [
          ...grants.map(({ tool, description }) => [name, tool, description]),
          ...missing.map(({ tool, description }) => [name, tool, `not granted: ${description}`]),
        ]),
        'No grants.',
      );
    });
}

function notGranted(name: string, tool: string): ApiError {
  return new ApiError({
    type: 'not_found',
    message: `"${name}" has no grant for ${tool}. Nothing was changed. See "holdfast grants".`,
  });
}

export function revokeCommand(): Command {
  return new Command('revoke')
    .description("Revoke a workflow's grant for a tool")
    .argument('<workflow>', WORKFLOW_HELP)
    .argument('<tool>', 'Tool shown by "holdfast grants"')
    .addOption(dataOption())
    .action((text: string, tool: string, options: DataOption) =>
      withHost(options, async (host) => {
        const { id, name } = await findWorkflow(host, text);
        const { wasGranted } = await host.call('grants.revoke', { workflowId: id, tool });
        if (!wasGranted) throw notGranted(name, tool);
        printLine(
          `Revoked ${tool} from "${name}". Its next call is refused and appears in the inbox.`,
        );
      }),
    );
}
