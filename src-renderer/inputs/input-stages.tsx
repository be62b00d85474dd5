// The stages of an input with times and durations.
import type { ReactNode } from 'react';
import type { AutomationRunView } from '#shared/api/inputs.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';
import { exactClockTime } from '#renderer/format/format-time.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { ExactTime, RunDuration } from '#renderer/ui/display/time.tsx';

const TEXT = inputsText.one;

interface Stage {
  readonly name: string;
  readonly at: number | null;
  /** End of the stage, or null while it is running. */
  readonly until?: number | null;
}

function stagesOf(run: AutomationRunView): readonly Stage[] {
  return [
    { name: TEXT.received, at: run.queuedAt },
    { name: TEXT.read, at: run.enrichmentStartedAt, until: run.enrichmentCompletedAt },
    { name: TEXT.begun, at: run.executionStartedAt },
    { name: TEXT.firstEvent, at: run.promptSentAt },
    { name: TEXT.end, at: run.completedAt },
  ];
}

export function InputStages({ run }: { readonly run: AutomationRunView }) {
  const isOpen = isUnfinished(run.status);
  // Stages that haven't started are shown only while they still can.
  const stages = stagesOf(run).filter(({ at }) => at !== null || isOpen);
  return (
    <Panel title={TEXT.stages}>
      <ol className="grid gap-1.5 text-[0.8125rem]">
        {stages.map(({ name, at, until }) => (
          <Line key={name} name={name}>
            {at === null ? (
              <span className="text-muted">{TEXT.notYet}</span>
            ) : (
              <>
                <time dateTime={new Date(at).toISOString()}>{exactClockTime(at)}</time>
                {until === undefined || (until === null && !isOpen) ? null : (
                  <span className="text-muted">
                    {' '}
                    · <RunDuration from={at} to={until} />
                  </span>
                )}
              </>
            )}
          </Line>
        ))}
        <Line name={TEXT.altogether}>
          <RunDuration from={run.queuedAt} to={run.completedAt} />
        </Line>
        {isOpen ? (
          <Line name={TEXT.deadline}>
            <ExactTime at={run.wait?.endsAt ?? run.deadlineAt} />
          </Line>
        ) : null}
      </ol>
    </Panel>
  );
}

function Line({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <li className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-3">
      <span className="text-muted">{name}</span>
      <span className="tabular">{children}</span>
    </li>
  );
}
