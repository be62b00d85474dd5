import { useWorkflowNames } from '#renderer/lists/use-workflow-names.ts';
import { shortId } from '#renderer/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { Choice } from '#renderer/ui/choice.tsx';

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (workflowId: string | undefined) => void;
}

export function WorkflowChoice({ chosen, onChoose }: Props) {
  const items = useWorkflowNames().map(({ id, name }) => ({ id, name }));
  // A URL may name a workflow that isn't on the first page.
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
