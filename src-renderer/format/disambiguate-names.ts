// Workflows by the names that people tell them apart by. Two files may give the same one: then each
// is named with its file, and where that is not enough, with its id.
import type { WorkflowView } from '#shared/api/contract.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';

type Named = Pick<WorkflowView, 'id' | 'name' | 'path'>;

export function disambiguateNames<Workflow extends Named>(
  workflows: readonly Workflow[],
): Workflow[] {
  const byFile = renameDuplicates(workflows, ({ path }) => path && fileAndFolder(path));
  return renameDuplicates(byFile, ({ id }) => shortId(id));
}

function renameDuplicates<Workflow extends Named>(
  workflows: readonly Workflow[],
  suffixOf: (workflow: Workflow) => string | null,
): Workflow[] {
  const byName = Map.groupBy(workflows, ({ name }) => name);
  return workflows.map((workflow) => {
    const suffix = byName.get(workflow.name)?.length === 1 ? null : suffixOf(workflow);
    return suffix === null
      ? workflow
      : { ...workflow, name: workflowText.among(workflow.name, suffix) };
  });
}

/** The file and the folder that it lies in. */
const fileAndFolder = (path: string): string => path.split(/[\\/]/).slice(-2).join('/');
