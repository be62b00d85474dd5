import type { RunView } from '#shared/api/contract.ts';
import { href } from '#renderer/navigation/router.ts';
import { LANE_LABELS, TRIGGER_LABELS } from '#renderer/text/sessions-text.ts';
import { RowLink } from '#renderer/lists/row-link.tsx';
import { SessionChip } from '#renderer/ui/display/status-chip.tsx';
import { RelativeTime, RunDuration } from '#renderer/ui/display/time.tsx';

export const SESSION_ROW_HEIGHT = { wide: 44, narrow: 66 } as const;
export const SESSION_GRID = 'lg:grid-cols-[7.5rem_minmax(0,1fr)_4rem_5.5rem_6.5rem_5.5rem]';

export function SessionRow({ run }: { readonly run: RunView }) {
  return (
    <div
      role="presentation"
      className={`grid h-full grid-cols-[minmax(0,1fr)_auto] content-center items-center gap-x-4 gap-y-1 px-4 ${SESSION_GRID}`}
    >
      <span role="cell" className="flex max-lg:col-start-2 max-lg:row-start-1">
        <SessionChip status={run.status} />
      </span>
      <span role="cell" className="min-w-0 max-lg:col-start-1 max-lg:row-start-1">
        <RowLink to={href.session(run.id)}>{run.workflowName}</RowLink>
      </span>
      {/* One line below the name on narrow screens. */}
      <div
        role="presentation"
        className="flex gap-x-3 text-muted max-lg:text-[0.8125rem] lg:contents"
      >
        <span role="cell">{LANE_LABELS[run.lane]}</span>
        <span role="cell">{TRIGGER_LABELS[run.trigger]}</span>
        {/* Above the row link, so that its tooltip works. */}
        <span role="cell" className="relative lg:justify-self-start">
          <RelativeTime at={run.createdAt} />
        </span>
      </div>
      <span role="cell" className="tabular text-right text-muted max-lg:text-[0.8125rem]">
        <RunDuration from={run.createdAt} to={run.endedAt} />
      </span>
    </div>
  );
}
