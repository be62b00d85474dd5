import { useWorkflowNames } from '#renderer/workflows/use-workflow-names.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (workflowId: string | undefined) => void;
}

export function WorkflowFilter({ chosen, onChoose }: Props) {
  const items = useWorkflowNames().map(({ id, name }) => ({ id, name }));
  // A URL may name a workflow that isn't on the first page.
  const isKnown = chosen === undefined || items.some(({ id }) => id === chosen);
  return (
    <FilterSelect
      label={text.runs.filterWorkflow}
      allLabel={text.runs.allWorkflows}
      items={isKnown ? items : [...items, { id: chosen, name: shortId(chosen) }]}
      chosen={chosen ?? null}
      onChoose={(id) => onChoose(id ?? undefined)}
    />
  );
}
