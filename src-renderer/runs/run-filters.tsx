// Filters of the run list. All of them are in the URL.
import { X } from 'lucide-react';
import { memo, useRef, type ReactNode } from 'react';
import { RUN_STATES, MAX_SEARCH_LENGTH, type RunState } from '#shared/api/run-search.ts';
import { useApp } from '#renderer/app-context.tsx';
import { TimeChoice } from '#renderer/lists/time-choice.tsx';
import { WorkflowChoice } from '#renderer/lists/workflow-choice.tsx';
import { href, type RunFilter } from '#renderer/router.ts';
import { useActions } from '#renderer/shell/actions.ts';
import { shortId } from '#renderer/short-id.ts';
import { useDevices } from '#renderer/stores/device-names.ts';
import { RUN_STATE_WORDS } from '#renderer/text/status-words.ts';
import { text } from '#renderer/text/text.ts';
import { Choice } from '#renderer/ui/choice.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { SearchInput } from '#renderer/ui/search-input.tsx';
import { RunStateIcon } from '#renderer/ui/status-chip.tsx';

/** Memoised, so that selecting a row doesn't re-render it. */
export const RunFilters = memo(function RunFilters({ filter }: { readonly filter: RunFilter }) {
  const { router } = useApp();
  const input = useRef<HTMLInputElement>(null);
  // Typing replaces the history entry, so Back leaves the list.
  const search = (words: string): void =>
    router.navigate(href.runs({ ...filter, text: words === '' ? undefined : words }), 'replace');
  useActions(
    () => [
      {
        id: 'runs.find',
        name: text.runs.find,
        group: 'page',
        keys: '/',
        run: () => input.current?.focus(),
      },
    ],
    [],
  );
  const show = (change: Partial<RunFilter>): void =>
    router.navigate(href.runs({ ...filter, ...change }));
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchInput
        ref={input}
        label={text.runs.find}
        clear={text.runs.clearSearch}
        value={filter.text ?? ''}
        maxLength={MAX_SEARCH_LENGTH}
        keys="/"
        onSearch={search}
        className="min-w-52 flex-1 lg:max-w-72"
      />
      <WorkflowChoice chosen={filter.workflowId} onChoose={(workflowId) => show({ workflowId })} />
      <DeviceChoice chosen={filter.deviceId} onChoose={(deviceId) => show({ deviceId })} />
      <TimeChoice span={filter} onChoose={show} />
      <StateChips filter={filter} />
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

function StateChips({ filter }: { readonly filter: RunFilter }) {
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
          {RUN_STATE_WORDS[state]}
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

interface DeviceChoiceProps {
  readonly chosen: string | undefined;
  readonly onChoose: (deviceId: string | undefined) => void;
}

/** Hidden if there is only one device. */
function DeviceChoice({ chosen, onChoose }: DeviceChoiceProps) {
  const devices = useDevices();
  const isKnown = chosen === undefined || devices.some(({ id }) => id === chosen);
  const items = isKnown ? devices : [...devices, { id: chosen, name: shortId(chosen) }];
  if (items.length < 2 && chosen === undefined) return null;
  return (
    <Choice
      label={text.runs.filterDevice}
      all={text.runs.allDevices}
      items={items}
      chosen={chosen ?? null}
      onChoose={(id) => onChoose(id ?? undefined)}
    />
  );
}
