import { RotateCw } from 'lucide-react';
import { memo } from 'react';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { RowLink } from '#renderer/lists/row-link.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { EffectChip, PhaseChip } from '#renderer/ui/display/status-chip.tsx';
import { RelativeTime, RunDuration } from '#renderer/ui/display/time.tsx';

export const RUN_ROW_HEIGHT = { wide: 40, narrow: 64 } as const;
export const RUN_GRID =
  'lg:grid-cols-[1.25rem_7rem_minmax(0,3fr)_minmax(0,2fr)_9.5rem_6.5rem_5rem]';

interface Props {
  readonly run: HandlerRunView;
  readonly isSelected: boolean;
  readonly onSelect: (runId: string, isRange: boolean) => void;
}

/** Memoised, so that selecting one row doesn't re-render the others. */
export const RunRow = memo(function RunRow({ run, isSelected, onSelect }: Props) {
  return (
    <div
      role="presentation"
      className={`grid h-full grid-cols-[1.25rem_minmax(0,1fr)_auto] content-center items-center gap-x-4 gap-y-1 px-4 ${RUN_GRID} ${isSelected ? 'bg-active-tint' : ''}`}
    >
      <span role="cell" className="relative z-1 flex max-lg:row-span-2">
        <SelectCheckbox run={run} isSelected={isSelected} onSelect={onSelect} />
      </span>
      <span role="cell" className="flex max-lg:col-start-3 max-lg:row-start-1 max-lg:justify-end">
        {/* Above the row link, so that its tooltip works. */}
        <span className="relative">
          <PhaseChip status={run.phase} />
        </span>
      </span>
      <span
        role="cell"
        className="flex min-w-0 items-center gap-2 max-lg:col-start-2 max-lg:row-start-1"
      >
        <RowLink to={href.run(run.id)}>{run.title ?? run.handlerName}</RowLink>
        {run.retryOf === null ? null : <RetryMark />}
      </span>
      {/* One line below the title on narrow screens. */}
      <div
        role="presentation"
        className="flex min-w-0 gap-x-3 text-muted max-lg:col-start-2 max-lg:row-start-2 max-lg:text-[0.8125rem] lg:contents"
      >
        <span role="cell" title={run.workflowName} className="min-w-0 truncate">
          {run.workflowName}
        </span>
        <span role="cell" className="relative lg:order-1 lg:justify-self-start">
          <RelativeTime at={run.startedAt} />
        </span>
        <span role="cell" className="tabular max-sm:hidden lg:order-2 lg:text-right">
          <RunDuration from={run.startedAt} to={run.endedAt} />
        </span>
      </div>
      <span
        role="cell"
        className="flex max-lg:col-start-3 max-lg:row-start-2 max-lg:justify-end lg:order-none"
      >
        {run.effect === null ? (
          <span className="text-muted max-lg:sr-only">{text.runs.noEffect}</span>
        ) : (
          <span className="relative">
            <span className="sr-only">{text.runs.effectOf} </span>
            <EffectChip status={run.effect} />
          </span>
        )}
      </span>
    </div>
  );
});

/** Not a tab stop: `x` toggles the focused row, and Tab moves from row to row. */
function SelectCheckbox({ run, isSelected, onSelect }: Props) {
  return (
    <label className="-m-2 grid place-items-center p-2">
      <input
        type="checkbox"
        tabIndex={-1}
        checked={isSelected}
        aria-label={text.bulk.choose(run.title ?? run.handlerName)}
        // A click event has the Shift state, a change event doesn't.
        onClick={(event) => onSelect(run.id, event.shiftKey)}
        readOnly
        className="size-4 accent-accent-fill"
      />
    </label>
  );
}

function RetryMark() {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs text-muted">
      <RotateCw aria-hidden className="size-3" />
      {text.runs.retry}
    </span>
  );
}
