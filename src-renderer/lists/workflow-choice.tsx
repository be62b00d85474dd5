import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { shortId } from '#renderer/short-id.ts';
import { createWorkflowsStore } from '#renderer/stores/workflows.ts';
import { text } from '#renderer/text.ts';
import { Choice } from '#renderer/ui/choice.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

interface Props {
  readonly chosen: string | undefined;
  readonly onChoose: (workflowId: string | undefined) => void;
}

export function WorkflowChoice({ chosen, onChoose }: Props) {
  const { client, live } = useApp();
  const store = useOpenStore(() => createWorkflowsStore(client, live, 'names'), [client, live]);
  const workflows = useStore(store, (state) => state.workflows) ?? [];
  const items = workflows.map(({ id, name }) => ({ id, name }));
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
