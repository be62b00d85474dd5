import { useStore } from 'zustand';
import { SCRIPT_RUN_STATUSES } from '#shared/machines/script-run.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href, type RunFilter } from '#renderer/router.ts';
import { shortId } from '#renderer/short-id.ts';
import { createWorkflowsStore } from '#renderer/stores/workflows.ts';
import { STATUS_WORDS, text } from '#renderer/text.ts';
import { Choice } from '#renderer/ui/choice.tsx';
import { StatusIcon } from '#renderer/ui/status-chip.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

const STATUSES = SCRIPT_RUN_STATUSES.map((status) => ({
  id: status,
  name: STATUS_WORDS[status],
  icon: <StatusIcon status={status} />,
}));

export function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const { client, live, router } = useApp();
  const store = useOpenStore(() => createWorkflowsStore(client, live), [client, live]);
  const workflows = useStore(store, (state) => state.workflows) ?? [];
  const { workflowId, status } = filter;
  const items = workflows.map(({ id, name }) => ({ id, name }));
  // A filter from a link may name a workflow that the first page does not hold.
  const known = workflowId === undefined || items.some(({ id }) => id === workflowId);

  return (
    <>
      <Choice
        label={text.runs.filterWorkflow}
        all={text.runs.allWorkflows}
        items={known ? items : [...items, { id: workflowId, name: shortId(workflowId) }]}
        chosen={workflowId ?? null}
        onChoose={(id) => router.navigate(href.runs({ status, workflowId: id ?? undefined }))}
      />
      <Choice
        label={text.runs.filterStatus}
        all={text.runs.allStatuses}
        items={STATUSES}
        chosen={status ?? null}
        onChoose={(id) => {
          const chosen = SCRIPT_RUN_STATUSES.find((one) => one === id);
          router.navigate(href.runs({ workflowId, status: chosen }));
        }}
      />
    </>
  );
}
