import type { InputView } from '#shared/api/inputs.ts';
import { RowLink } from '#renderer/lists/row-link.tsx';
import { href } from '#renderer/navigation/router.ts';
import { INPUT_KIND_LABELS } from '#renderer/text/inputs-text.ts';
import { InputChip } from '#renderer/ui/display/status-chip.tsx';
import { RelativeTime, RunDuration } from '#renderer/ui/display/time.tsx';

export const INPUT_ROW_HEIGHT = { wide: 40, narrow: 64 } as const;
export const INPUT_GRID =
  'lg:grid-cols-[7rem_minmax(0,3fr)_minmax(0,2fr)_minmax(0,1.5fr)_6.5rem_5rem]';

export function InputRow({ input }: { readonly input: InputView }) {
  const source = `${INPUT_KIND_LABELS[input.kind]} · ${input.source}`;
  return (
    <div
      role="presentation"
      className={`grid h-full grid-cols-[minmax(0,1fr)_auto] content-center items-center gap-x-4 gap-y-1 px-4 ${INPUT_GRID}`}
    >
      <span role="cell" className="flex max-lg:col-start-2 max-lg:row-start-1 max-lg:justify-end">
        {/* Above the row link, so that its tooltip works. */}
        <span className="relative">
          <InputChip status={input.run.status} />
        </span>
      </span>
      <span role="cell" className="min-w-0 max-lg:col-start-1 max-lg:row-start-1">
        <RowLink to={href.input(input.id)}>{input.title}</RowLink>
      </span>
      {/* One line below the title on narrow screens. */}
      <div
        role="presentation"
        className="flex min-w-0 gap-x-3 text-muted max-lg:row-start-2 max-lg:text-[0.8125rem] lg:contents"
      >
        <span role="cell" title={source} className="min-w-0 truncate">
          <bdi>{source}</bdi>
        </span>
        <span role="cell" title={input.workflowName} className="min-w-0 truncate">
          {input.workflowName}
        </span>
        <span role="cell" className="relative lg:justify-self-start">
          <RelativeTime at={input.receivedAt} />
        </span>
        <span role="cell" className="tabular max-sm:hidden lg:text-right">
          <RunDuration from={input.run.queuedAt} to={input.run.completedAt} />
        </span>
      </div>
    </div>
  );
}
