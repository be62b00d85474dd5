// The handler's console output: virtualised, searchable, and follows the end.
import { CircleAlert, TriangleAlert, type LucideIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { exactClockTime, exactTime } from '#renderer/format/format-time.ts';
import { GrowingList } from '#renderer/lists/growing-list.tsx';
import { useGrowingList } from '#renderer/lists/use-growing-list.ts';
import { text } from '#renderer/text/text.ts';
import { CopyJsonButton } from '#renderer/ui/buttons/copy-json-button.tsx';
import { SearchInput } from '#renderer/ui/fields/search-input.tsx';

type LogLine = HandlerRunDetail['logs'][number];

const LEVEL_STYLES: Readonly<
  Record<LogLine['level'], { icon: LucideIcon | null; colour: string }>
> = {
  debug: { icon: null, colour: 'text-muted' },
  info: { icon: null, colour: '' },
  warn: { icon: TriangleAlert, colour: 'text-wait' },
  error: { icon: CircleAlert, colour: 'text-bad' },
};

const LINE_HEIGHT = 24;
/** Shorter logs have no search field. */
const MIN_TO_SEARCH = 10;

export function RunLog({ logs }: { readonly logs: readonly LogLine[] }) {
  const [searchText, setSearchText] = useState('');
  const matching = useMemo(() => {
    const needle = searchText.toLowerCase();
    return needle === '' ? logs : logs.filter((line) => line.text.toLowerCase().includes(needle));
  }, [logs, searchText]);
  return (
    <section className="rounded-lg bg-surface px-4 py-3 shadow-raised ring-1 ring-line">
      <header className="mb-2 flex min-h-6 flex-wrap items-center gap-x-3 gap-y-2">
        <h2 className="text-[0.8125rem] font-semibold">{text.run.log}</h2>
        <span role="status" className="tabular text-[0.8125rem] text-muted">
          {logs.length === 0 ? null : text.run.lines(matching.length, logs.length)}
        </span>
        {logs.length < MIN_TO_SEARCH ? null : (
          <SearchInput
            label={text.run.findInLog}
            clearLabel={text.runs.clearSearch}
            value={searchText}
            onSearch={setSearchText}
            className="ml-auto w-56 max-sm:w-full"
          />
        )}
        {logs.length === 0 ? null : (
          <CopyJsonButton
            subject={text.run.log}
            value={() => logs.map((line) => ({ ...line }))}
            className={logs.length < MIN_TO_SEARCH ? 'ml-auto' : ''}
          />
        )}
      </header>
      {logs.length === 0 ? (
        <p className="text-[0.8125rem] text-muted">{text.run.noLog}</p>
      ) : matching.length === 0 ? (
        <p className="text-[0.8125rem] text-muted">{text.run.notInLog}</p>
      ) : (
        <Lines lines={matching} />
      )}
    </section>
  );
}

function Lines({ lines }: { readonly lines: readonly LogLine[] }) {
  const list = useGrowingList({ total: lines.length, rowHeight: LINE_HEIGHT, overscan: 20 });
  return (
    <div className="relative">
      <GrowingList
        list={list}
        label={text.run.log}
        newLabel={text.job.newLines}
        className="max-h-96 font-mono text-xs leading-5"
        rowClassName="pb-1"
        setSize={lines.length}
      >
        {(index) => {
          const line = lines[index];
          return line ? <Line line={line} /> : null;
        }}
      </GrowingList>
    </div>
  );
}

function Line({ line }: { readonly line: LogLine }) {
  const { icon: Icon, colour } = LEVEL_STYLES[line.level];
  return (
    <div className={`grid gap-x-3 sm:grid-cols-[6rem_3.5rem_minmax(0,1fr)] ${colour}`}>
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
      <span dir="auto" className="wrap-anywhere whitespace-pre-wrap">
        {line.text}
      </span>
    </div>
  );
}
