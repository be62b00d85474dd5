// The session's snapshot, projected from its log: status, counts and last steps.
import type { ReactNode } from 'react';
import type { RunSnapshot } from '#shared/run-log.ts';
import { count } from '#renderer/text/numbers.ts';
import { text } from '#renderer/text/text.ts';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { SessionChip } from '#renderer/ui/display/status-chip.tsx';

/** Further entries are only counted. */
const MAX_LISTED = 30;

export function SnapshotSummary({ snapshot }: { readonly snapshot: RunSnapshot }) {
  const counts = Object.entries(snapshot.eventCounts).toSorted(([, a], [, b]) => b - a);
  const steps = Object.entries(snapshot.steps).toSorted(([, a], [, b]) => a.runSeq - b.runSeq);
  if (snapshot.lastRunSeq === 0) {
    return (
      <Panel title={text.snapshot.title}>
        <p className="text-[0.8125rem] text-muted">{text.snapshot.none}</p>
      </Panel>
    );
  }
  return (
    <Panel title={text.snapshot.title}>
      <Facts>
        <Fact name={text.snapshot.status}>
          <SessionChip status={snapshot.status} />
        </Fact>
        <Fact name={text.snapshot.records}>{count(snapshot.lastRunSeq)}</Fact>
        <Fact name={text.snapshot.attempt}>{count(snapshot.logicalAttemptId)}</Fact>
      </Facts>
      <Rows
        title={text.snapshot.counts}
        more={counts.length - MAX_LISTED}
        moreText={text.snapshot.moreEvents}
      >
        {counts.slice(0, MAX_LISTED).map(([type, times]) => (
          <Row key={type} name={type} value={count(times)} />
        ))}
      </Rows>
      <Rows
        title={text.snapshot.steps}
        more={steps.length - MAX_LISTED}
        moreText={text.snapshot.moreSteps}
      >
        {steps.slice(0, MAX_LISTED).map(([step, last]) => (
          <Row key={step} name={step} value={last.eventType} />
        ))}
      </Rows>
    </Panel>
  );
}

interface RowsProps {
  readonly title: string;
  readonly more: number;
  readonly moreText: (more: number) => string;
  readonly children: readonly ReactNode[];
}

function Rows({ title, more, moreText, children }: RowsProps) {
  if (children.length === 0) return null;
  return (
    <>
      <h3 className="mt-3 mb-1 border-t border-line pt-3 text-xs font-medium text-muted">
        {title}
      </h3>
      <ul className="grid gap-1 text-[0.8125rem]">{children}</ul>
      {more > 0 ? <p className="mt-1 text-xs text-muted">{moreText(more)}</p> : null}
    </>
  );
}

function Row({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <li className="flex min-w-0 items-baseline justify-between gap-3">
      <span className="min-w-0 truncate" title={name}>
        {name}
      </span>
      <span className="tabular max-w-1/2 shrink-0 truncate text-muted" title={value}>
        {value}
      </span>
    </li>
  );
}
