// Filters of the input list. All of them are in the URL.
import { X } from 'lucide-react';
import { INPUT_KINDS } from '#shared/inputs/kinds.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { AUTOMATION_RUN_STATUSES } from '#shared/machines/automation-run.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import type { InputFilter } from '#renderer/navigation/input-route.ts';
import { ListSearch } from '#renderer/lists/list-search.tsx';
import { TimeRangeFilter } from '#renderer/lists/time-range-filter.tsx';
import { WorkflowFilter } from '#renderer/lists/workflow-filter.tsx';
import { href } from '#renderer/navigation/router.ts';
import { INPUT_KIND_LABELS, inputsText } from '#renderer/text/inputs-text.ts';
import { AUTOMATION_RUN_LABELS } from '#renderer/text/status-labels.ts';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { InputStatusIcon } from '#renderer/ui/display/status-chip.tsx';

const TEXT = inputsText.list;

export function InputFilters({ filter }: { readonly filter: InputFilter }) {
  const { router } = useApp();
  const show = (change: Partial<InputFilter>): void =>
    router.navigate(href.inputs({ ...filter, ...change }));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ListSearch
        commandId="inputs.find"
        text={TEXT}
        value={filter.text}
        maxLength={MAX_NAME_LENGTH}
        // Typing replaces the history entry, so Back leaves the list.
        onSearch={(words) => router.navigate(href.inputs({ ...filter, text: words }), 'replace')}
      />
      <FilterSelect
        label={TEXT.filterKind}
        allLabel={TEXT.allKinds}
        items={INPUT_KINDS.map((id) => ({ id, name: INPUT_KIND_LABELS[id] }))}
        chosen={filter.kind ?? null}
        onChoose={(id) => show({ kind: INPUT_KINDS.find((one) => one === id) })}
      />
      <FilterSelect
        label={TEXT.filterStatus}
        allLabel={TEXT.allStatuses}
        items={AUTOMATION_RUN_STATUSES.map((id) => ({
          id,
          name: AUTOMATION_RUN_LABELS[id],
          icon: <InputStatusIcon status={id} />,
        }))}
        chosen={filter.status ?? null}
        onChoose={(id) => show({ status: AUTOMATION_RUN_STATUSES.find((one) => one === id) })}
      />
      <WorkflowFilter chosen={filter.workflowId} onChoose={(workflowId) => show({ workflowId })} />
      <TimeRangeFilter range={filter} onChoose={show} />
      {filter.source === undefined ? null : (
        <Link
          to={href.inputs({ ...filter, source: undefined })}
          className="inline-flex h-8 max-w-full min-w-0 items-center gap-1.5 rounded-md bg-surface px-2.5 shadow-raised ring-1 ring-accent ring-inset hover:bg-hover"
        >
          <bdi className="truncate">{TEXT.from(filter.source)}</bdi>
          <X aria-hidden className="size-3.5 shrink-0 text-muted" />
          <span className="sr-only">{TEXT.clearSource}</span>
        </Link>
      )}
    </div>
  );
}
