import { ChevronRight } from 'lucide-react';
import type { EventView } from '#shared/api/handler-runs.ts';
import { EVENT_LABELS } from '#renderer/text/status-labels.ts';
import { text } from '#renderer/text/text.ts';
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
        <details className="group">
          <summary className="flex cursor-default list-none items-center gap-1 justify-self-start rounded-sm text-muted hover:text-ink">
            <ChevronRight aria-hidden className="size-3.5 group-open:rotate-90" />
            {text.run.payload}
            <span className="sr-only">{text.workflows.of(event.title)}</span>
          </summary>
          <JsonText
            label={text.run.payloadOf(event.title)}
            value={event.payload}
            className="mt-1.5"
          />
        </details>
      )}
    </li>
  );
}
