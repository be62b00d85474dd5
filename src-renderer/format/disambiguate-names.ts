// Workflows by the names that people tell them apart by. Two files may give the same one: then each
// is named with its file, and where that is not enough, with its id.
import type { WorkflowView } from '#shared/api/contract.ts';
import { shortId } from '#renderer/format/short-id.ts';
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

/** The file and the folder that it lies in. */
const endOf = (path: string): string => path.split(/[\\/]/).slice(-2).join('/');
