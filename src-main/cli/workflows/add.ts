// `holdfast add FILE`
import { resolve } from 'node:path';
import { Command } from 'commander';
import { findWorkflow } from '#main/cli/find/find-workflow.ts';
import { dataOption } from '#main/cli/options/data-option.ts';
import { PENDING_UNTIL_HOST_RUNS, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

export function addCommand(): Command {
  return new Command('add')
    .description('Add a workflow file, or its changed version as a draft')
    .argument('<file>', 'A .ts or .js file that exports a workflow')
    .option(
      '--link [workflow]',
      'Make it the file of this workflow (default: the one with the same name)',
    )
    .addOption(dataOption())
    .action((file: string, options: AddOptions) => add(resolve(file), options));
}

interface AddOptions extends DataOption {
  readonly link?: string | true;
}

async function add(path: string, options: AddOptions): Promise<void> {
  await withHost(options, async (host) => {
    const link =
      typeof options.link === 'string' ? (await findWorkflow(host, options.link)).id : options.link;
    const input = link === undefined ? { path } : { path, link };
    const added = await host.call('workflows.add', input).catch(listAllProblems);
    const { workflowId, version, warnings } = added;
    const workflow = await host.call('workflows.get', { workflowId });
    for (const warning of warnings) process.stderr.write(`note: ${warning}\n`);
    if (link !== undefined && workflow.draftScriptId === null) {
      printLine(`The file of "${workflow.name}" is now ${path}.`);
    } else if (workflow.draftScriptId === null) {
      printLine(`Added "${workflow.name}" and activated version ${version}.`);
      if (!host.isRunning) printLine(PENDING_UNTIL_HOST_RUNS);
    } else {
      printLine(
        `Saved version ${version} of "${workflow.name}" as a draft. To activate it, run: holdfast activate ${workflow.name}`,
      );
    }
  });
}

/** The API's message has the first problem only. */
function listAllProblems(error: unknown): never {
  if (!(error instanceof ApiError) || error.problems.length < 2) throw error;
  const message = `The workflow was not added:\n${error.problems.join('\n')}`;
  throw new ApiError({ type: error.type, message }, { cause: error });
}
