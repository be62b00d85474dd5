import type { EventView } from '#shared/api/handler-runs.ts';
import { EVENT_LABELS } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
import { Disclosure } from '#renderer/ui/layout/disclosure.tsx';
import { JsonText } from '#renderer/ui/display/json-text.tsx';
import { RelativeTime } from '#renderer/ui/display/time.tsx';

export function EventLine({ event }: { readonly event: EventView }) {
  return (
    <li className="grid gap-0.5">
      <span className="font-medium wrap-anywhere">{event.title}</span>
      <span className="wrap-anywhere text-muted">
        {EVENT_LABELS[event.status]} · {text.run.attempt(event.attempt)} ·{' '}
        <RelativeTime at={event.createdAt} />
      </span>
      {event.payload === null ? null : (
        <Disclosure label={text.run.payload} subject={event.title}>
          <JsonText label={text.run.payloadOf(event.title)} value={event.payload} />
        </Disclosure>
      )}
    </li>
  );
}
