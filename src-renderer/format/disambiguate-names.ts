// Unique display names for workflows. Workflows with the same name also show their file, and if
// needed their id.
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

/** File name with its folder. */
const fileAndFolder = (path: string): string => path.split(/[\\/]/).slice(-2).join('/');
