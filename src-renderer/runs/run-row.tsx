import type { RunView } from '#shared/api/contract.ts';
import { href } from '#renderer/router.ts';
import { LANE_WORDS, TRIGGER_WORDS } from '#renderer/text.ts';
import { Link } from '#renderer/ui/link.tsx';
import { StatusChip } from '#renderer/ui/status-chip.tsx';
import { RelativeTime, RunDuration } from '#renderer/ui/when.tsx';

/** In pixels: rows are placed by them. */
export const RUN_ROW_HEIGHT = { wide: 44, narrow: 66 } as const;
export const RUN_COLUMNS =
  'grid grid-cols-[7.5rem_minmax(0,1fr)_4rem_5.5rem_6.5rem_5.5rem] items-center gap-x-4 px-4';

interface Props {
  readonly run: RunView;
  readonly index: number;
  readonly top: number;
  readonly height: number;
}

export function RunRow({ run, index, top, height }: Props) {
  return (
    <div
      role="row"
      // The first is the header's.
      aria-rowindex={index + 2}
      data-index={index}
      className="absolute inset-x-0 border-b border-line last:border-b-0 hover:bg-hover focus-within:bg-hover"
      style={{ height: `${height}px`, transform: `translateY(${top}px)` }}
    >
      <div
        role="presentation"
        className="grid h-full grid-cols-[minmax(0,1fr)_auto] content-center items-center gap-x-4 gap-y-1 px-4 lg:grid-cols-[7.5rem_minmax(0,1fr)_4rem_5.5rem_6.5rem_5.5rem]"
      >
        <span role="cell" className="flex max-lg:col-start-2 max-lg:row-start-1">
          <StatusChip status={run.status} />
        </span>
        <span role="cell" className="min-w-0 max-lg:col-start-1 max-lg:row-start-1">
          {/* The whole row is the link's: a bigger thing to hit. */}
          <Link
            to={href.run(run.id)}
            className="block truncate font-medium after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            {run.workflowName}
          </Link>
        </span>
        {/* One line under the name where there is no room for columns. */}
        <div
          role="presentation"
          className="flex gap-x-3 text-muted max-lg:text-[0.8125rem] lg:contents"
        >
          <span role="cell">{LANE_WORDS[run.lane]}</span>
          <span role="cell">{TRIGGER_WORDS[run.trigger]}</span>
          {/* Above the link, for its exact time on hover. */}
          <span role="cell" className="relative lg:justify-self-start">
            <RelativeTime at={run.createdAt} />
          </span>
        </div>
        <span role="cell" className="tabular text-right text-muted max-lg:text-[0.8125rem]">
          <RunDuration run={run} />
        </span>
      </div>
    </div>
  );
}
