// One record of the log. Its content is untrusted and rendered as text.
import { ChevronRight } from 'lucide-react';
import { useId } from 'react';
import { Button } from 'react-aria-components';
import type { RunEventRecord } from '#shared/run-log.ts';
import { exactClockTime, exactTime } from '#renderer/format/format-time.ts';
import { count } from '#renderer/text/numbers.ts';
import { text } from '#renderer/text/text.ts';

const LINE =
  'grid min-h-9 w-full grid-cols-[3.25rem_minmax(0,1fr)_1rem] items-center gap-x-3 px-4 text-left max-md:py-1.5 md:grid-cols-[3.25rem_6.5rem_minmax(0,1fr)_auto_1rem]';

interface Props {
  readonly seq: number;
  /** Undefined while loading. */
  readonly record: RunEventRecord | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

export function EventRow({ seq, record, isOpen, onToggle }: Props) {
  const payloadId = useId();
  if (!record) {
    return (
      <div className={LINE}>
        <Seq seq={seq} />
        <span className="skeleton h-3.5 w-40 max-w-full md:col-start-3" />
      </div>
    );
  }
  if (!record.payload) {
    return (
      <div className={LINE}>
        <Line record={record} />
      </div>
    );
  }
  return (
    <>
      <Button
        onPress={onToggle}
        aria-expanded={isOpen}
        aria-controls={payloadId}
        className={`${LINE} cursor-default data-focus-visible:-outline-offset-2 data-hovered:bg-hover`}
      >
        <Line record={record} />
        <ChevronRight
          aria-hidden
          className={`size-4 text-muted transition-transform duration-100 max-md:col-start-3 max-md:row-start-1 ${isOpen ? 'rotate-90' : ''}`}
        />
      </Button>
      {isOpen ? (
        <pre
          id={payloadId}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard.
          tabIndex={0}
          aria-label={text.log.showPayload(seq)}
          className="mx-4 mb-3 max-h-96 overflow-auto rounded-md bg-sunken px-3 py-2.5 font-mono text-xs leading-5 wrap-anywhere whitespace-pre-wrap md:ml-20.5"
        >
          {JSON.stringify(record.payload, null, 2)}
        </pre>
      ) : null}
    </>
  );
}

function Line({ record }: { readonly record: RunEventRecord }) {
  const at = Date.parse(record.emittedAt);
  return (
    <>
      <Seq seq={record.runSeq} />
      <time
        dateTime={record.emittedAt}
        title={exactTime(at)}
        className="tabular text-[0.8125rem] text-muted max-md:col-start-2 max-md:row-start-2"
      >
        {exactClockTime(at)}
      </time>
      <span className="flex min-w-0 items-baseline gap-2 max-md:col-start-2 max-md:row-start-1">
        <span className="truncate font-medium" title={record.eventType}>
          {record.eventType}
        </span>
        {record.stepId === undefined ? null : (
          <span className="min-w-0 truncate text-[0.8125rem] text-muted" title={record.stepId}>
            <span className="sr-only">{text.log.step} </span>
            {record.stepId}
          </span>
        )}
      </span>
      <span className="text-xs whitespace-nowrap text-muted max-md:hidden">
        {text.log.attempt(record.logicalAttemptId)}
      </span>
    </>
  );
}

function Seq({ seq }: { readonly seq: number }) {
  return <span className="tabular text-xs text-muted">{count(seq)}</span>;
}
