// Unique display names for workflows. Workflows with the same name also show their file, and if
// needed their id.
import type { WorkflowView } from '#shared/api/contract.ts';
import { shortId } from '#renderer/short-id.ts';
import { flowText } from '#renderer/text/workflows-text.ts';

type Named = Pick<WorkflowView, 'id' | 'name' | 'path'>;

export function toldApart<Workflow extends Named>(workflows: readonly Workflow[]): Workflow[] {
  const byFile = renameShared(workflows, ({ path }) => path && endOf(path));
  return renameShared(byFile, ({ id }) => shortId(id));
}

function renameShared<Workflow extends Named>(
  workflows: readonly Workflow[],
  differ: (workflow: Workflow) => string | null,
): Workflow[] {
  const many = Map.groupBy(workflows, ({ name }) => name);
  return workflows.map((workflow) => {
    const more = many.get(workflow.name)?.length === 1 ? null : differ(workflow);
    return more === null ? workflow : { ...workflow, name: flowText.among(workflow.name, more) };
  });
}

/** File name with its folder. */
const endOf = (path: string): string => path.split(/[\\/]/).slice(-2).join('/');
