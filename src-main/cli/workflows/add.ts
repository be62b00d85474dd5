// `holdfast add FILE`: a workflow file of this machine, from now on run by Holdfast.
import { resolve } from 'node:path';
import { Command } from 'commander';
import { dataOption } from '#main/cli/options/data-option.ts';
import { WAITS_FOR_HOST, withHost, type DataOption } from '#main/cli/host-client.ts';
import { printLine } from '#main/cli/print.ts';
import { ApiError } from '#shared/api/errors.ts';

export function addCommand(): Command {
  return new Command('add')
    .description('add a workflow file, or a changed version of it as a draft')
    .argument('<file>', 'a .ts or .js file that exports a workflow')
    .addOption(dataOption())
    .action((file: string, options: DataOption) => add(resolve(file), options));
}

async function add(path: string, options: DataOption): Promise<void> {
  await withHost(options, async (host) => {
    const added = await host.call('workflows.add', { path }).catch(sayAllProblems);
    const { workflowId, version, warnings } = added;
    const workflow = await host.call('workflows.get', { workflowId });
    for (const warning of warnings) process.stderr.write(`note: ${warning}\n`);
    if (workflow.draftScriptId === null) {
      printLine(`"${workflow.name}" is added and active, version ${version}.`);
      if (!host.isRunning) printLine(WAITS_FOR_HOST);
    } else {
      printLine(
        `Version ${version} of "${workflow.name}" is a draft. The version before it goes on until: holdfast activate ${workflow.name}`,
      );
    }
  });
}

/** The sentence names the first; whoever mends a file wants to see them all. */
function sayAllProblems(error: unknown): never {
  if (!(error instanceof ApiError) || error.problems.length < 2) throw error;
  const message = `This workflow was not added:\n${error.problems.join('\n')}`;
  throw new ApiError({ type: error.type, message }, { cause: error });
}
