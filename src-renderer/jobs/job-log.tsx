// A job's log in colour. Virtualised, and follows the end while the reader is there.
import { useStore } from 'zustand';
import type { TextStyle } from '#shared/runner/ansi.ts';
import type { LogLine, LogSpan } from '#shared/runner/log-screen.ts';
import { GrowingList } from '#renderer/lists/growing-list.tsx';
import { useGrowingList } from '#renderer/lists/use-growing-list.ts';
import type { JobStore } from '#renderer/stores/job-store.ts';
import { text } from '#renderer/text/text.ts';

const LINE_HEIGHT = 20;

const COLOUR_CLASSES = [
  'text-ansi-black',
  'text-ansi-red',
  'text-ansi-green',
  'text-ansi-yellow',
  'text-ansi-blue',
  'text-ansi-magenta',
  'text-ansi-cyan',
  'text-ansi-white',
] as const;

export function JobLog({ store }: { readonly store: JobStore }) {
  const lines = useStore(store, (state) => state.lines);
  const dropped = useStore(store, (state) => state.dropped);
  const list = useGrowingList({ total: lines.length, rowHeight: LINE_HEIGHT, overscan: 30 });
  return (
    <section className="relative flex h-[70dvh] min-h-80 flex-col rounded-lg bg-surface shadow-raised ring-1 ring-line lg:h-auto lg:min-h-0">
      <header className="flex h-10 shrink-0 items-center justify-between border-b border-line px-4">
        <h2 className="text-[0.8125rem] font-semibold">{text.job.log}</h2>
        <span className="tabular text-[0.8125rem] text-muted">
          {dropped > 0 ? text.job.dropped(dropped) : text.job.lines(lines.length)}
        </span>
      </header>
      {lines.length === 0 ? <p className="px-4 py-6 text-muted">{text.job.noLog}</p> : null}
      <GrowingList
        list={list}
        label={text.job.log}
        newLabel={text.job.newLines}
        className="min-h-0 flex-1 rounded-b-lg py-2 font-mono text-xs leading-5 -outline-offset-2"
        rowClassName="px-4"
        dropped={dropped}
      >
        {(index) => {
          const line = lines[index];
          return line ? <Line line={line} /> : null;
        }}
      </GrowingList>
    </section>
  );
}

const SOURCE_CLASSES: Readonly<Record<LogLine['source'], string>> = {
  stdout: 'border-transparent',
  stderr: 'border-wait',
  holdfast: 'border-accent text-muted italic',
};

function Line({ line }: { readonly line: LogLine }) {
  return (
    <p
      className={`min-h-5 border-l-2 pl-2.5 wrap-anywhere whitespace-pre-wrap ${SOURCE_CLASSES[line.source]}`}
    >
      {/* Color alone must not mark stderr. */}
      {line.source === 'stderr' ? <span className="sr-only">{text.job.stderr} </span> : null}
      {line.spans.map((span, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- spans are append-only.
        <Span key={index} span={span} />
      ))}
    </p>
  );
}

function Span({ span: { text: shown, style } }: { readonly span: LogSpan }) {
  const { colour } = style;
  if (Object.keys(style).length === 0) return shown;
  return (
    <span
      className={spanClassName(style)}
      {...(typeof colour === 'string' ? { style: { color: colour } } : {})}
    >
      {shown}
    </span>
  );
}

function spanClassName({ colour, bold, dim, italic, underline }: TextStyle): string {
  return [
    typeof colour === 'number' ? COLOUR_CLASSES[colour % COLOUR_CLASSES.length] : '',
    bold || (typeof colour === 'number' && colour >= COLOUR_CLASSES.length) ? 'font-bold' : '',
    dim ? 'text-muted' : '',
    italic ? 'italic' : '',
    underline ? 'underline' : '',
  ]
    .filter(Boolean)
    .join(' ');
}
