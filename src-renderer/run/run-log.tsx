// What the handler wrote to its console.
import { CircleAlert, TriangleAlert, type LucideIcon } from 'lucide-react';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { exactClockTime, exactTime } from '#renderer/format-time.ts';
import { text } from '#renderer/text.ts';
import { Panel } from '#renderer/ui/facts.tsx';

type LogLine = HandlerRunDetail['logs'][number];

const LOOKS: Readonly<Record<LogLine['level'], { icon: LucideIcon | null; look: string }>> = {
  debug: { icon: null, look: 'text-muted' },
  info: { icon: null, look: '' },
  warn: { icon: TriangleAlert, look: 'text-wait' },
  error: { icon: CircleAlert, look: 'text-bad' },
};

export function RunLog({ logs }: { readonly logs: readonly LogLine[] }) {
  return (
    <Panel title={text.run.log}>
      {logs.length === 0 ? (
        <p className="text-[0.8125rem] text-muted">{text.run.noLog}</p>
      ) : (
        <ol
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- to scroll it with the keyboard.
          tabIndex={0}
          aria-label={text.run.log}
          className="grid max-h-96 gap-1 overflow-y-auto font-mono text-xs leading-5"
        >
          {logs.map((line, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines are only ever added.
            <Line key={index} line={line} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function Line({ line }: { readonly line: LogLine }) {
  const { icon: Icon, look } = LOOKS[line.level];
  return (
    <li className={`grid gap-x-3 sm:grid-cols-[6rem_3.5rem_minmax(0,1fr)] ${look}`}>
      <time
        dateTime={new Date(line.at).toISOString()}
        title={exactTime(line.at)}
        className="tabular text-muted"
      >
        {exactClockTime(line.at)}
      </time>
      <span className="flex items-center gap-1 self-start leading-5">
        {Icon ? <Icon aria-hidden className="size-3.5" /> : null}
        {line.level}
      </span>
      <span className="wrap-anywhere whitespace-pre-wrap">{line.text}</span>
    </li>
  );
}
