// The events that a run took, and those that it published.
import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { EventView, HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { RerunEvent } from '#renderer/run/rerun-event.tsx';
import { EVENT_WORDS, text } from '#renderer/text.ts';
import { Panel } from '#renderer/ui/facts.tsx';
import { JsonText } from '#renderer/ui/json-text.tsx';

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
            <span className="font-medium wrap-anywhere">{event.title}</span>
            {children(event)}
          </div>
          <span className="wrap-anywhere text-muted">
            {event.topic} · {EVENT_WORDS[event.status]} · {text.run.attempt(event.attempt)}
          </span>
          {event.payload === null ? null : <Payload event={event} />}
        </li>
      ))}
    </ul>
  );
}

function Payload({ event }: { readonly event: EventView }) {
  const label = text.run.payloadOf(event.title);
  return (
    <details className="group">
      <summary className="flex cursor-default list-none items-center gap-1 justify-self-start rounded-sm text-muted hover:text-ink">
        <ChevronRight aria-hidden className="size-3.5 group-open:rotate-90" />
        {text.run.payload}
        <span className="sr-only">{text.workflows.of(event.title)}</span>
      </summary>
      <JsonText label={label} value={event.payload} className="mt-1.5" />
    </details>
  );
}
