// Filters of the run list. All of them are in the URL.
import { X } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { RUN_STATES, MAX_SEARCH_LENGTH, type RunState } from '#shared/api/run-search.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { ListSearch } from '#renderer/lists/list-search.tsx';
import { TimeRangeFilter } from '#renderer/lists/time-range-filter.tsx';
import { WorkflowFilter } from '#renderer/lists/workflow-filter.tsx';
import { href, type RunFilter } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { useDevices } from '#renderer/devices/use-devices.ts';
import { RUN_STATE_LABELS } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { FilterSelect } from '#renderer/ui/fields/filter-select.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { RunStateIcon } from '#renderer/ui/display/status-chip.tsx';

/** Memoised, so that selecting a row doesn't re-render it. */
export const RunFilters = memo(function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const { router } = useApp();
  const show = (change: Partial<RunFilter>): void =>
    router.navigate(href.runs({ ...filter, ...change }));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <ListSearch
        commandId="runs.find"
        text={text.runs}
        value={filter.text}
        maxLength={MAX_SEARCH_LENGTH}
        // Typing replaces the history entry, so Back leaves the list.
        onSearch={(words) => router.navigate(href.runs({ ...filter, text: words }), 'replace')}
      />
      <WorkflowFilter chosen={filter.workflowId} onChoose={(workflowId) => show({ workflowId })} />
      <DeviceFilter chosen={filter.deviceId} onChoose={(deviceId) => show({ deviceId })} />
      <TimeRangeFilter range={filter} onChoose={show} />
      <StateFilter filter={filter} />
      {filter.sessionId === undefined ? null : (
        <Link
          to={href.runs({ ...filter, sessionId: undefined })}
          title={filter.sessionId}
          className="inline-flex h-8 items-center gap-1.5 rounded-md bg-surface px-2.5 shadow-raised ring-1 ring-accent ring-inset hover:bg-hover"
        >
          {text.runs.ofSession(shortId(filter.sessionId))}
          <X aria-hidden className="size-3.5 text-muted" />
          <span className="sr-only">{text.runs.clearSession}</span>
        </Link>
      )}
    </div>
  );
});

function StateFilter({ filter }: { readonly filter: RunFilter }) {
  return (
    <nav
      aria-label={text.runs.filterState}
      className="flex flex-wrap rounded-md bg-sunken p-0.5 ring-1 ring-line"
    >
      <StateChip filter={filter} state={undefined}>
        {text.runs.allStates}
      </StateChip>
      {RUN_STATES.map((state) => (
        <StateChip key={state} filter={filter} state={state}>
          <RunStateIcon state={state} />
          {RUN_STATE_LABELS[state]}
        </StateChip>
      ))}
    </nav>
  );
}

interface StateChipProps {
  readonly filter: RunFilter;
  readonly state: RunState | undefined;
  readonly children: ReactNode;
}

function StateChip({ filter, state, children }: StateChipProps) {
  return (
    <Link
      to={href.runs({ ...filter, state })}
      aria-current={filter.state === state ? 'true' : undefined}
      className="inline-flex h-7 items-center gap-1.5 rounded px-2 text-[0.8125rem] text-muted hover:text-ink aria-[current=true]:bg-surface aria-[current=true]:text-ink aria-[current=true]:shadow-raised"
    >
      {children}
    </Link>
  );
}

interface DeviceFilterProps {
  readonly chosen: string | undefined;
  readonly onChoose: (deviceId: string | undefined) => void;
}

/** Hidden if there is only one device. */
function DeviceFilter({ chosen, onChoose }: DeviceFilterProps) {
  const devices = useDevices();
  const isKnown = chosen === undefined || devices.some(({ id }) => id === chosen);
  const items = isKnown ? devices : [...devices, { id: chosen, name: shortId(chosen) }];
  if (items.length < 2 && chosen === undefined) return null;
  return (
    <FilterSelect
      label={text.runs.filterDevice}
      allLabel={text.runs.allDevices}
      items={items}
      chosen={chosen ?? null}
      onChoose={(id) => onChoose(id ?? undefined)}
    />
  );
}
