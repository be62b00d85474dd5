// The events that a run took and published.
import type { ReactNode } from 'react';
import type { EventView, HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { RerunEvent } from '#renderer/runs/rerun-event.tsx';
import { text } from '#renderer/text/text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { EventChip } from '#renderer/ui/display/status-chip.tsx';

interface Props {
  readonly run: HandlerRunDetail;
  readonly onRerun: () => void;
}

export function RunEvents({ run, onRerun }: Props) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {run.handlerType === 'producer' ? null : (
        <Panel title={text.run.eventsIn}>
          <Events events={run.eventsIn} none={text.run.noEventsIn}>
            {(event) =>
              event.status === 'consumed' || event.status === 'skipped' ? (
                <RerunEvent runId={run.id} event={event} onDone={onRerun} />
              ) : null
            }
          </Events>
        </Panel>
      )}
      <Panel title={text.run.eventsOut}>
        <Events events={run.eventsOut} none={text.run.noEventsOut}>
          {() => null}
        </Events>
      </Panel>
    </div>
  );
}

interface EventsProps {
  readonly events: readonly EventView[];
  readonly none: string;
  readonly children: (event: EventView) => ReactNode;
}

function Events({ events, none, children }: EventsProps) {
  if (events.length === 0) return <p className="text-[0.8125rem] text-muted">{none}</p>;
  return (
    <ul className="grid gap-3">
      {events.map((event) => (
        <li key={event.id} className="grid gap-1 text-[0.8125rem]">
          <div className="flex items-start justify-between gap-3">
            <span dir="auto" className="font-medium wrap-anywhere">
              {event.title}
            </span>
            {children(event)}
          </div>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1 wrap-anywhere text-muted">
            <EventChip status={event.status} hasTooltip />
            {event.topic} · {text.run.attempt(event.attempt)}
          </span>
          {event.payload === null ? null : (
            <Disclosure label={text.run.payload} subject={event.title}>
              <JsonText label={text.run.payloadOf(event.title)} value={event.payload} />
            </Disclosure>
          )}
        </li>
      ))}
    </ul>
  );
}
