// Inbox items with a single action: retry, rerun, resume, acknowledge.
import { useState, type ReactNode } from 'react';
import type { InboxItem } from '#shared/api/inbox.ts';
import { useApp } from '#renderer/app-context.tsx';
import { Awaiting, InboxCard, type CardProps } from '#renderer/inbox/inbox-card.tsx';
import { useCardKeys } from '#renderer/inbox/use-card-keys.ts';
import { useDevices } from '#renderer/stores/device-names.ts';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { JsonText } from '#renderer/ui/json-text.tsx';
import { Keys } from '#renderer/ui/keys.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { RelativeTime } from '#renderer/ui/when.tsx';
import { useAct } from '#renderer/use-act.ts';

type OneActItem = Extract<InboxItem, { type: 'approval' | 'set_aside' | 'stopped' | 'incident' }>;

type IncidentSide = Extract<InboxItem, { type: 'incident' }>['sides'][number];

export function OneAct({ item, card, onRecorded }: CardProps<OneActItem>) {
  const { client } = useApp();
  const [recorded, setRecorded] = useState(false);
  const { title, what, button, hint } = wordsOf(item);
  const act = useAct<unknown>({
    idFor: 'form',
    act: () => {
      if (item.type === 'set_aside') return client.call('events.rerun', { eventId: item.eventId });
      if (item.type === 'incident') {
        return client.call('incidents.acknowledge', { incidentId: item.incidentId });
      }
      return client.call('workflows.resume', { workflowId: item.workflowId });
    },
    onDone: () => {
      setRecorded(true);
      onRecorded(text.inbox.asked(title));
    },
  });
  useCardKeys(card.isCurrent && !recorded, [{ id: 'inbox.act', name: button, keys: '1' }], () =>
    act.perform(),
  );
  return (
    <InboxCard item={item} card={card} title={title}>
      {what}
      <div className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)] sm:items-center">
        <Button
          isPending={act.pending}
          isDisabled={recorded}
          onPress={act.perform}
          className="max-sm:justify-self-start"
        >
          {button}
          <span className="sr-only">: {title}</span>
          {card.isCurrent ? (
            <span aria-hidden>
              <Keys keys="1" />
            </span>
          ) : null}
        </Button>
        <span className="text-[0.8125rem] text-muted">{hint}</span>
      </div>
      <Failure error={act.error} />
      <Awaiting isShown={recorded} />
    </InboxCard>
  );
}

interface Words {
  readonly title: string;
  readonly what: ReactNode;
  readonly button: string;
  readonly hint: string;
}

function wordsOf(item: OneActItem): Words {
  switch (item.type) {
    case 'approval':
      return {
        title: item.workflowName,
        what: <Said intro={text.approval.what} said={item.error} />,
        button: text.approval.tryAgain,
        hint: text.approval.hint,
      };
    case 'set_aside':
      return {
        title: item.title,
        what: <p>{text.setAside.what(item.topic)}</p>,
        button: text.setAside.rerun,
        hint: text.setAside.hint,
      };
    case 'stopped':
      return {
        title: item.workflowName,
        what: <Said intro={text.stopped.what} said={item.reason} />,
        button: text.stopped.resume,
        hint: text.stopped.hint,
      };
    case 'incident':
      return {
        title: item.workflowName,
        what: <Sides summary={item.summary} sides={item.sides} />,
        button: text.incident.acknowledge,
        hint: item.advice,
      };
  }
}

/** Shows both sides of an incident next to each other. */
function Sides({ summary, sides }: { readonly summary: string; sides: readonly IncidentSide[] }) {
  return (
    <div className="grid gap-2">
      <p>{summary}</p>
      <ul className="grid gap-3 sm:grid-cols-2">
        {sides.map((side) => (
          <Side key={`${side.deviceId} ${side.epoch} ${side.status}`} side={side} />
        ))}
      </ul>
    </div>
  );
}

function Side({ side }: { readonly side: IncidentSide }) {
  const { deviceId, handlerRunId, tool, params, status, result, at } = side;
  const devices = useDevices();
  const device = devices.find(({ id }) => id === deviceId)?.name ?? deviceId;
  const what = tool ?? text.incident.noCall;
  return (
    <li className="grid min-w-0 content-start gap-1.5 rounded-md bg-sunken px-3 py-2.5 text-[0.8125rem]">
      <p className="flex flex-wrap justify-between gap-x-3 font-medium">
        <span title={deviceId ?? undefined} className="wrap-anywhere">
          {device ?? text.incident.afterwards}
        </span>
        <span className="font-normal text-muted">
          <RelativeTime at={at} />
        </span>
      </p>
      <p className="wrap-anywhere">
        {what}: {status}
      </p>
      {params === null ? null : <JsonText label={text.incident.sent} value={params} />}
      {result === null ? null : <JsonText label={text.incident.result} value={result} />}
      {handlerRunId === null ? null : (
        <Link to={href.run(handlerRunId)} className="rounded-sm text-accent hover:underline">
          {text.inbox.run}
        </Link>
      )}
    </li>
  );
}

function Said({ intro, said }: { readonly intro: string; readonly said: string }) {
  return (
    <div className="grid gap-1.5">
      <p>{intro}</p>
      <p className="rounded-md bg-sunken px-3 py-2 text-[0.8125rem] wrap-anywhere whitespace-pre-wrap">
        {said}
      </p>
    </div>
  );
}
