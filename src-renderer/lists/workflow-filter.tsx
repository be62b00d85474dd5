import { useWorkflowNames } from '#renderer/workflows/use-workflow-names.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { Choice } from '#renderer/ui/fields/filter-select.tsx';

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (workflowId: string | undefined) => void;
}

export function WorkflowChoice({ chosen, onChoose }: Props) {
  const items = useWorkflowNames().map(({ id, name }) => ({ id, name }));
  // A filter from a link may name a workflow that the first page does not hold.
  const known = chosen === undefined || items.some(({ id }) => id === chosen);
  return (
    <Choice
      label={text.runs.filterWorkflow}
      all={text.runs.allWorkflows}
      items={known ? items : [...items, { id: chosen, name: shortId(chosen) }]}
      chosen={chosen ?? null}
      onChoose={(id) => onChoose(id ?? undefined)}
    />
  );
}
