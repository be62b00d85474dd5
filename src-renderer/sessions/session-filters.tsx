import { SCRIPT_RUN_STATUSES } from '#shared/session-enums.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { WorkflowFilter } from '#renderer/lists/workflow-filter.tsx';
import { href, type SessionFilter } from '#renderer/navigation/router.ts';
import { SESSION_LABELS } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { SessionIcon } from '#renderer/ui/display/status-chip.tsx';

const STATUSES = SCRIPT_RUN_STATUSES.map((status) => ({
  id: status,
  name: SESSION_LABELS[status],
  icon: <SessionIcon status={status} />,
}));

export function SessionFilters({ filter }: { readonly filter: SessionFilter }) {
  const { router } = useApp();
  const { workflowId, status } = filter;
  return (
    <>
      <WorkflowFilter
        chosen={workflowId}
        onChoose={(id) => router.navigate(href.sessions({ status, workflowId: id }))}
      />
      <FilterSelect
        label={text.sessions.filterStatus}
        allLabel={text.sessions.allStatuses}
        items={STATUSES}
        chosen={status ?? null}
        onChoose={(id) => {
          const chosen = SCRIPT_RUN_STATUSES.find((one) => one === id);
          router.navigate(href.sessions({ workflowId, status: chosen }));
        }}
      />
    </>
  );
}
