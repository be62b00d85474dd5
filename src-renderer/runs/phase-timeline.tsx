// The phases of a run on a shared time scale.
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import { duration, exactClockTime, exactTime } from '#renderer/format/format-time.ts';
import { useNow } from '#renderer/format/use-now.ts';
import { phaseSpans, type PhaseSpan } from '#renderer/runs/phase-spans.ts';
import { PHASE_SENTENCES, PHASE_LABELS } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { Tooltip } from '#renderer/ui/feedback/tooltip.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';

const PERIOD_MS = 1_000;

export function PhaseTimeline({ run }: { readonly run: HandlerRunView }) {
  const now = useNow(PERIOD_MS);
  const spans = phaseSpans(run);
  // A wait before the first phase shows as a gap.
  const begin = Math.min(run.startedAt, spans[0]?.from ?? run.startedAt);
  const end = run.endedAt ?? Math.max(now, spans.at(-1)?.from ?? now);
  return (
    <Panel title={text.run.phases}>
      <ol className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-4 gap-y-1.5 text-[0.8125rem]">
        {spans.map((span) => (
          <li key={span.phase} className="col-span-3 grid grid-cols-subgrid items-center">
            <Tooltip content={PHASE_SENTENCES[span.phase]} className="justify-self-start">
              {PHASE_LABELS[span.phase]}
            </Tooltip>
            <Bar span={span} begin={begin} end={end} />
            <span className="tabular text-right whitespace-nowrap text-muted">
              <SpanLength span={span} now={end} />
            </span>
          </li>
        ))}
        <li
          aria-hidden
          className="tabular col-span-3 grid grid-cols-subgrid border-t border-line pt-1.5 text-xs text-muted"
        >
          <span className="col-start-2 flex justify-between gap-2">
            <span>{exactClockTime(begin)}</span>
            <span>{exactClockTime(end)}</span>
          </span>
          <span className="text-right">{duration(end - begin)}</span>
        </li>
      </ol>
    </Panel>
  );
}

interface BarProps {
  readonly span: PhaseSpan;
  readonly begin: number;
  readonly end: number;
}

function Bar({ span, begin, end }: BarProps) {
  const total = Math.max(1, end - begin);
  const left = ((span.from - begin) / total) * 100;
  const width = (((span.to ?? end) - span.from) / total) * 100;
  const colour = span.isEnd ? 'bg-muted' : span.isWait ? 'bg-wait opacity-60' : 'bg-accent';
  return (
    <span aria-hidden className="relative h-3 rounded-sm bg-sunken">
      <span
        className={`absolute inset-y-0 min-w-0.5 rounded-sm ${colour}`}
        // Keeps the last pixels inside the track.
        style={{ left: `min(${left}%, 100% - 2px)`, width: `${width}%` }}
      />
    </span>
  );
}

function SpanLength({ span, now }: { readonly span: PhaseSpan; readonly now: number }) {
  if (span.isEnd) {
    return (
      <time dateTime={new Date(span.from).toISOString()} title={exactTime(span.from)}>
        {exactClockTime(span.from)}
      </time>
    );
  }
  const length = duration((span.to ?? now) - span.from);
  const shown = span.isWait ? `${text.run.waited} ${length}` : length;
  return span.to === null ? `${shown} ${text.run.soFar}` : shown;
}
